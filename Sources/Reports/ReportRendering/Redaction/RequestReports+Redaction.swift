public import LogDiagnosis
public import Redaction
import ULSLog

extension RequestReport {
    /// Returns the requests with pseudonyms for names, and without secrets.
    public func redacted(by redactor: inout Redactor) -> RequestReport {
        redactor.reading { _ = masked(by: &$0) }
        return masked(by: &redactor)
    }

    private func masked(by redactor: inout Redactor) -> RequestReport {
        var report = self
        report.requests = requests.map { $0.masked(by: &redactor) }
        report.read = read.masked(by: &redactor)
        return report
    }
}

extension LoggedRequest {
    fileprivate func masked(by redactor: inout Redactor) -> LoggedRequest {
        var request = self
        request.server = server.map { redactor.name($0, as: .host) }
        request.user = user.map { redactor.name($0, as: .user) }
        request.name = name.map { redactor.text($0) }
        request.writer = writer.map { redactor.text($0) }
        request.problem = problem.map { problem in
            var problem = problem
            problem.server = problem.server.map { redactor.name($0, as: .host) }
            problem.text = redactor.text(problem.text)
            problem.file = redactor.path(problem.file)
            return problem
        }
        return request
    }
}

extension LogComparison {
    /// Returns the comparison with pseudonyms for names, and without secrets.
    public func redacted(by redactor: inout Redactor) -> LogComparison {
        redactor.reading { _ = masked(by: &$0) }
        return masked(by: &redactor)
    }

    private func masked(by redactor: inout Redactor) -> LogComparison {
        var comparison = self
        comparison.logs.a = logs.a.masked(by: &redactor)
        comparison.logs.b = logs.b.masked(by: &redactor)
        comparison.failures = failures.map { failure in
            var failure = failure
            failure.template = redactor.text(failure.template)
            if let growth = failure.growth {
                failure.growth?.server = redactor.name(growth.server, as: .host)
            }
            return failure
        }
        comparison.speeds = speeds?.map { speed in
            var speed = speed
            speed.key = redactor.text(speed.key)
            return speed
        }
        comparison.missing.a = missing.a.map { redactor.name($0, as: .host) }
        comparison.missing.b = missing.b.map { redactor.name($0, as: .host) }
        return comparison
    }
}

extension LogPortrait {
    func masked(by redactor: inout Redactor) -> LogPortrait {
        var portrait = self
        portrait.kinds = kinds.map { kind in
            var kind = kind
            kind.template = redactor.text(kind.template)
            kind.servers = Dictionary(kind.servers.map { (redactor.key($0.key), $0.value) }) { $0 + $1 }
            return kind
        }
        portrait.servers = Dictionary(
            servers.map { key, server in
                var server = server
                server.name = server.name.isEmpty ? "" : redactor.name(server.name, as: .host)
                return (redactor.key(key), server)
            }
        ) { first, _ in first }
        portrait.gaps = gaps.map { $0.masked(by: &redactor) }
        portrait.durations = nil
        return portrait
    }
}

extension Redactor {
    /// Returns the lowercase name of a server that stands for it in a table.
    fileprivate mutating func key(_ server: String) -> String { server.isEmpty ? "" : name(server, as: .host) }
}
