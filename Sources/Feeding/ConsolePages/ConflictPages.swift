enum ConflictPages { static let all: [ConsolePage] = [] }
