# Template of a Homebrew formula. Nothing is published: put the place of your copy for OWNER.
class Pincheck < Formula
  desc "Check servers against certificate pins, as the clients that ship them would"
  homepage "https://github.com/OWNER/pincheck"
  head "https://github.com/OWNER/pincheck.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "libidn2"
  depends_on "libpsl"
  depends_on "openssl@3"

  uses_from_macos "swift" => :build
  uses_from_macos "expat"

  on_linux do
    depends_on "libarchive"
  end

  def install
    args = if OS.mac?
      ["--disable-sandbox"]
    else
      ["--static-swift-stdlib"]
    end
    system "swift", "build", *args, "-c", "release", "--product", "pincheck"
    bin.install ".build/release/pincheck"
    generate_completions_from_executable(bin/"pincheck", "--generate-completion-script")
    Utils.safe_popen_read(bin/"pincheck", "--generate-manual").each_line(chomp: true) do |page|
      (buildpath/"#{page}.1").write Utils.safe_popen_read(bin/"pincheck", "--generate-manual", page)
      man1.install "#{page}.1"
    end
  end

  test do
    assert_match(/\Apincheck \d/, shell_output("#{bin}/pincheck --version"))
    assert_match "PASS", shell_output("#{bin}/pincheck demo")
  end
end
