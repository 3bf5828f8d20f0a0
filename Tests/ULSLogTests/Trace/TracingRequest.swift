@testable import ULSLog

/// The request of the sample with the tracing trouble: rows of two threads, the first without a correlation.
enum TracingRequest {
    static let name = "Request (POST:http://test-sp:80/_vti_bin/owssvr.dll?CS=65001)"

    static var rows: TracedRows {
        var rows = TracedRows()
        rows.enter(name, at: 520, server: nil, correlation: "")
        rows.add("Name=\(name)", at: 520, server: nil, eventID: "xmnv")
        func write(_ eventID: String, _ level: String, _ message: String, at time: Int64) {
            rows.add(message, at: time, thread: "0x173C", server: nil, level: level, eventID: eventID)
        }
        write("af71", "Medium", "HTTP Request method: POST", at: 600)
        write("af75", "Medium", "Overridden HTTP request method: POST", at: 600)
        write("af74", "Medium", "HTTP request URL: /_vti_bin/owssvr.dll?CS=65001", at: 600)
        for file in ["wss.en-US.resx", "wss.resx"] {
            let path = #"C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\\#(file)"#
            write("b9y3", "High", "Failed to open the file '\(path)'.", at: 690)
            write("b9y4", "High", #"#20015: Cannot open "": no such file or folder."#, at: 690)
            write("b9y4", "High", #"(#2: Cannot open "": no such file or folder.)"#, at: 690)
            write("b9y9", "High", #"Failed to read resource file "\#(path)" from feature id "(null)"."#, at: 690)
            write("8e26", "Medium", "Failed to open the language resource keyfile wss.", at: 690)
        }
        let token = "Localized resource for token 'multipages_direction_dir_value%>' could not be found"
        write("8l3c", "Medium", token + #" for file with path: "(unavailable)"."#, at: 690)
        rows.add(
            "Leaving Monitored Scope (\(name)). Execution Time=206.33069286739",
            at: 730,
            server: nil,
            eventID: "b4ly"
        )
        return rows
    }
}
