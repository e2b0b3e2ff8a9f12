/// A client that pins the certificate files it finds in an app's bundle; which ones those are differs.
public enum BundleLoader: String, Sendable, Hashable, CaseIterable {
    /// AFNetworking 4: files named `.cer` in the main bundle.
    case afNetworking4 = "AFNetworking 4"
    /// AFNetworking 2 and 3: files named `.cer` in the bundle of its own class, which is the framework's where it is one.
    case afNetworking3 = "AFNetworking 2 and 3"
    /// Alamofire 5: files in the main bundle named `.cer`, `.crt` or `.der`, in small or capital letters.
    case alamofire = "Alamofire"
}
