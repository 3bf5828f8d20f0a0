import CCurl

/// What a transfer came to.
extension Transfer {
    func result(_ end: End) -> Result<HTTPResponse, HTTPFailure> {
        let status = easy.info(CURLINFO_RESPONSE_CODE)
        let (reason, message): (HTTPFailure.Reason, String)
        switch end {
        case .completed(CURLE_OK) where reply.isComplete(status, isHead: job.request.method == .head):
            return .success(HTTPResponse(status: status, headers: reply.headers, body: reply.body))
        case .completed(CURLE_OK): (reason, message) = (.malformedResponse, "the reply has no proper end")
        case .completed(let code): (reason, message) = explain(code)
        case .stopped(let cause): (reason, message) = (cause, "the request was stopped")
        }
        let delivery: HTTPFailure.Delivery = mayHaveBeenSent ? .maybeSent : .notSent
        return .failure(HTTPFailure(reason, delivery, message, status: status == 0 ? nil : status))
    }

    private func explain(_ code: CURLcode) -> (HTTPFailure.Reason, String) {
        if isTooLarge { return (.responseTooLarge, "the reply is larger than allowed") }
        let proxyStatus = easy.info(CURLINFO_HTTP_CONNECTCODE)
        switch code {
        case CURLE_RECV_ERROR where !hasStarted && proxyStatus >= 300:
            return (.proxyRefused(status: proxyStatus), words(of: code))
        // A single line above libcurl's own limit of 100 KB.
        case CURLE_OUT_OF_MEMORY where mayHaveBeenSent: return (.responseTooLarge, words(of: code))
        case CURLE_PROXY: return (.proxyRefused(status: proxyStatus), words(of: code))
        case CURLE_UNSUPPORTED_PROTOCOL where mayHaveBeenSent:
            return (.malformedResponse, "the reply is not HTTP/1 or HTTP/2")
        case CURLE_ABORTED_BY_CALLBACK, CURLE_SEND_FAIL_REWIND:
            return (.connectionLost, "the connection was lost before the reply")
        default: return (HTTPFailure.Reason(code), words(of: code))
        }
    }

    /// What libcurl says of this case, else of the code in general.
    private func words(of code: CURLcode) -> String {
        let special = String(cString: errorText)
        return special.isEmpty ? String(cString: curl_easy_strerror(code)) : special
    }
}
