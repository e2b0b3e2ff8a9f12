import Pinning
import X509

/// The looks of a page: light, dark and printed; a narrow window has no more than it is wide.
enum HTMLSheet {
    /// What a picture needs that stands alone.
    static let timeline = """
        :root{--bg:#fff;--fg:#1b1f24;--soft:#59636e;--line:#d1d9e0;--fill:#e3eaf1;--edge:#5b7083;--pin:#0b57b7;\
        --good:#116329;--bad:#b42318;--warn:#855700}
        @media screen and (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--soft:#9aa4ae;--line:#3d444d;\
        --fill:#24303c;--edge:#8ba3ba;--pin:#6cb0ff;--good:#57d364;--bad:#ff8b80;--warn:#e3b341}}
        svg text{font:12px system-ui,sans-serif;fill:var(--fg);paint-order:stroke;stroke:var(--bg);stroke-width:6px;\
        stroke-linejoin:round}
        svg .bg{fill:var(--bg)}
        svg text.h{font-weight:600}
        svg text.d{text-anchor:end;font-variant-numeric:tabular-nums}
        svg text.l{text-anchor:middle;fill:var(--soft);font-size:11px}
        svg line.t{stroke:var(--line)}
        svg line.now{stroke:var(--fg);stroke-width:2}
        svg line.n{stroke:var(--bad);stroke-width:2;stroke-dasharray:2 3}
        svg .z{fill:var(--bad);fill-opacity:.12}
        svg rect.c{fill:var(--fill);stroke:var(--edge)}
        svg rect.p{fill:var(--pin);stroke:var(--pin)}
        svg rect.b{fill:var(--bg);stroke:var(--pin);stroke-width:2;stroke-dasharray:6 4}
        svg rect.e{fill:var(--warn);stroke:var(--warn);fill-opacity:.25;stroke-dasharray:1 3}
        svg line.r{stroke:var(--fg);stroke-dasharray:2 2}
        svg circle{fill:var(--bg);stroke:var(--fg);stroke-width:2}
        svg text.a{text-anchor:end;font-weight:600;stroke:none}
        svg text.p{fill:var(--bg)}

        """

    /// What a page has.
    static let page =
        timeline + """
            body{font:16px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:60rem;margin:0 auto;\
            padding:1rem;overflow-wrap:break-word}
            h1{font-size:1.4rem;margin:0}
            h2{font-size:1.2rem;margin:0 0 .3rem}
            section,footer{border-top:1px solid var(--line);padding:1.2rem 0}
            p,ul,pre{margin:.4rem 0}
            ul{padding-left:1.2rem}
            a{color:var(--pin)}
            th,.m{color:var(--soft);font-weight:400;font-size:.875rem}
            .k{font-size:1.15rem;font-weight:600}
            .s{border:2px solid;border-radius:.3rem;padding:0 .35rem;font-weight:700;font-size:.875rem;color:var(--bad)}
            .PASS{color:var(--good)}
            .WARN,.CHANGED{color:var(--warn)}
            .UNREACHABLE{color:var(--soft)}
            svg{display:block;margin:.8rem 0}
            table{border-collapse:collapse;width:100%;margin:.8rem 0;font-size:.875rem}
            caption{text-align:left;font-weight:600}
            tr{border-bottom:1px solid var(--line)}
            td,th{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0}
            code,pre{font:.8125rem ui-monospace,monospace;color:var(--soft)}
            td:nth-child(2){overflow-wrap:anywhere}
            td code{display:block;word-break:break-all}
            time{white-space:nowrap}
            pre{white-space:pre-wrap}
            @media (max-width:40rem){thead{display:none}tr{display:flex;flex-wrap:wrap}\
            td:nth-child(2){order:1;flex:0 0 100%;padding-top:0}}
            @media print{body{font-size:11pt;max-width:none;padding:0}section{break-inside:avoid}}

            """

    /// The sheet is all that a browser may follow: it loads nothing, runs nothing and sends nothing.
    static let policy =
        "default-src 'none'; style-src 'sha256-\(Hashing.sha256(Array(page.utf8)).base64)'; base-uri 'none'; "
        + "form-action 'none'"
}
