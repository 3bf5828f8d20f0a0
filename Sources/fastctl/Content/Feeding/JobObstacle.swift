import ContentFeeding
import FeedFormats
import JobJournal
import ReportRendering

/// Why a run does not go on with an unfinished job of the same command.
struct JobObstacle {
    /// What to say when a new job begins in its place.
    let warning: String
    /// The failure of a run that may only resume.
    let refusal: CommandFailure
    /// What was already read of the pipe.
    private(set) var spool: InputSpool?

    /// The pipe brings another input than what was kept, with which the job can still go on.
    static func otherInput(_ job: KeptJob, at place: String, _ spool: InputSpool) -> JobObstacle {
        JobObstacle(
            warning: "this is a new job: \(place); job \(job.id) is unfinished: fastctl jobs resume \(job.id)",
            refusal: CommandFailure(
                .inputRejected,
                "job \(job.id) can't be resumed with this input: \(place); nothing was sent",
                advice: "fastctl jobs resume \(job.id), or run it without --resume"
            ),
            spool: spool
        )
    }

    /// The job's own input is no longer what it was.
    static func changedInput(_ job: KeptJob, _ change: String) -> JobObstacle {
        own(job, change, remedy: "put its input back as it was, or ")
    }

    /// A later run of the same command has sent something, and may have changed what the job has settled.
    static func overtaken(_ job: KeptJob, by later: KeptJob) -> JobObstacle {
        own(job, "job \(later.id), a later run of the same command, has sent operations since", remedy: "")
    }

    private static func own(_ job: KeptJob, _ reason: String, remedy: String) -> JobObstacle {
        JobObstacle(
            warning: "this is a new job: \(reason); job \(job.id) is unfinished: end it with: "
                + "fastctl jobs cancel \(job.id)",
            refusal: CommandFailure(
                .inputRejected,
                "job \(job.id) can't be resumed: \(reason); nothing was sent",
                advice: "\(remedy)end the job (fastctl jobs cancel \(job.id)) and run its command again"
            )
        )
    }

    /// The collection is another one than when the job began.
    static func renewed(_ job: KeptJob, _ collection: CollectionName) -> JobObstacle {
        let reason = "'\(collection)' is another one than when job \(job.id) began"
        return JobObstacle(
            warning: "this is a new job: \(reason); fastctl jobs cancel \(job.id) ends that one",
            refusal: CommandFailure(
                .configuration,
                "job \(job.id) can't be resumed: \(reason); nothing was sent",
                advice: "run it without --resume"
            )
        )
    }
}

extension KeptJob {
    /// Returns the latest of the same command's jobs that began after this one, if both have sent something.
    ///
    /// A pipe's jobs are told apart by what it brought: each goes on by itself.
    func successor(among jobs: [KeptJob]) -> KeptJob? {
        guard record.job.spool == nil, hasSent else { return nil }
        return jobs.first { $0.record.job.startedAt > record.job.startedAt && $0.hasSent }
    }

    /// Whether a run of the job may have sent something.
    var hasSent: Bool { record.epoch > 0 && (record.acceptedThrough.rawValue > 0 || record.counts.settled > 0) }
}
