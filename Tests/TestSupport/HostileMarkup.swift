/// Texts that would run code, or send a request, on a page that does not escape them.
///
/// The code sets `window.hit` or the title, or opens a dialog; the request is for `/hit`.
public enum HostileMarkup {
    public static let all: [String] =
        breakouts.enumerated().flatMap { number, breakout in
            vectors.enumerated().map { other, vector in
                breakout + vector.replacing("ACTION", with: actions[(number + other) % actions.count])
            }
        } + others

    private static let actions = ["window.hit=1", "document.title='hit'", "fetch('/hit')", "alert(1)"]

    private static let breakouts = [
        "", "\"", "'", "\">", "'>", "`>", "-->", "]]>", "</title>", "</style>", "</bdi></td></table>", "</code></pre>",
        "</desc></svg>", "</summary></details>", "</textarea></noscript>", "\\\">",
    ]

    private static let vectors = [
        "<script>ACTION</script>", "<img src=x onerror=ACTION>", "<svg onload=ACTION>",
        "<svg><script>ACTION</script></svg>", "<details open ontoggle=ACTION>", "<body onload=ACTION>",
        "<iframe srcdoc=\"<script>parent.ACTION</script>\">", "<a href=\"javascript:ACTION\">x</a>",
        "<base href=/hit/>",
        "<link rel=stylesheet href=/hit>", "<meta http-equiv=refresh content=\"0;url=/hit\">",
        "<style>@import '/hit'; body { display: none }</style>", "<form action=/hit><input autofocus onfocus=ACTION>",
        "<object data=/hit>", " onmouseover=ACTION style=background:url(/hit) x=", "<img src=//127.0.0.1/hit>",
    ]

    private static let others = [
        "javascript:window.hit=1", "data:text/html,<script>parent.hit=1</script>", "https://a/\"onclick=window.hit=1",
        "&lt;script&gt;", "&#60;script&#62;window.hit=1&#60;/script&#62;", "<!--", "<![CDATA[", "<?xml", "{{7*7}}",
        "${7*7}",
        "\u{202E}gnp.exe\u{2066}", "\u{200F}\u{061C}abc\u{2069}", "\u{2028}\u{2029}\u{85}",
        "\u{0}\u{1}\u{8}\u{B}\u{1B}[31m\u{7F}",
        "\u{9B}2J\u{9D}", "\u{FEFF}\u{200B}\u{200D}\u{FFFE}\u{FFFF}", "\u{E0041}\u{E0042}", "👩‍👩‍👧‍👦🏳️‍🌈",
        "e" + String(repeating: "\u{301}", count: 200),
        String(repeating: "W", count: 5000), String(repeating: "<b>", count: 3000), String(repeating: "&", count: 3000),
        "a\r\nb\rc\nd\te", "\u{FF1C}script\u{FF1E}window.hit=1\u{FF1C}/script\u{FF1E}",
        "%3Cscript%3Ewindow.hit=1%3C/script%3E",
        "+ADw-script+AD4-window.hit=1+ADw-/script+AD4-", "\u{1BC}script\u{1BE}", "مرحبا <b> שלום", "", " ",
    ]
}
