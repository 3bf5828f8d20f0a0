import TextKit

/// Fields whose names reveal their contents: `Password=…`, `Data Source=…`, `"user": "…"`, `user 'ann'`.
enum Fields {
    private enum Kind {
        case secret, cookies, user, person, host, hosts, machineAccount, domain, searchTerms
        /// `CN=…` of a distinguished name, `OU=…`, and `DC=…`.
        case commonName, unit, domainComponent
        /// A person or something else: `owner`, or `name`, whose value counts only in quotes or in a tag.
        case somebody, named
    }

    /// Returns the field whose name begins with the word at `word`.
    static func field(_ text: Span<UInt8>, _ word: Range<Int>, before limit: Int) -> Detection? {
        guard let (kind, nameEnd) = kind(text, word, before: limit) else { return nil }
        guard var value = FieldValue(text, after: nameEnd, before: limit) else { return nil }
        // The signature of symbols in a native stack trace: `(sig=dfc8b1d6-…|1|onetnative.PDB, offset=3862A)`.
        if text.has("sig=", at: word.lowerBound), text.isGUID(value.start..<min(limit, value.start + 36)) { return nil }
        guard let parts = parts(text, word, &value, kind) else { return nil }
        return Detection([.keep(word.lowerBound..<value.start)] + parts, end: value.end)
    }

    /// Returns the parts of a value, which may extend further than first found; `nil` if it is not a value of this
    /// kind.
    private static func parts(
        _ text: Span<UInt8>,
        _ word: Range<Int>,
        _ found: inout FieldValue,
        _ kind: Kind
    ) -> [Detection.Part]? {
        switch kind {
        case .secret:
            found.extendWithin(text)
            guard !found.range.isEmpty, !found.isPlaceholder(text), !found.isSentence(text) else { return nil }
            return [.secret(found.range)] + found.rest
        case .cookies:
            guard found.sign == .colon || found.sign == .equals else { return nil }
            found.extendToLineEnd(text)
            return found.range.isEmpty ? nil : [.secret(found.range)] + found.rest
        case .searchTerms:
            // In `Keywords: Audit Failure`, an event of Windows has no search terms.
            let isOfEvent = text.has("keywords", at: word.lowerBound) && found.sign == .colon && !found.isQuoted
            guard found.sign != .none, !isOfEvent else { return nil }
            found.extend(text) { !";&\r\n".utf8.contains($0) }
            return found.range.isEmpty ? nil : [.query(found.range)] + found.rest
        case .commonName:
            guard found.extendCommonName(text) else { return nil }
            // In `Berger\, Anna`, the backslash is not part of an account.
            let hasBlank = found.range.contains { text[$0].isBlank }
            return (hasBlank ? [.name(.user, found.range)] : Accounts.nameParts(text, found.range)) + found.rest
        case .unit:
            guard found.extendCommonName(text) else { return nil }
            return [.name(.path, found.range, isLearned: false)] + found.rest
        case .domainComponent:
            guard found.sign == .equals, found.isName(text) else { return nil }
            // Short names, such as `corp`, may also be words.
            return [.name(.domain, found.range, isLearned: found.range.count >= 5)] + found.rest
        case .somebody, .named:
            guard found.takeFullName(text, isSure: false), found.isDelimited || kind == .somebody else { return nil }
            return [.name(.user, found.range)] + found.rest
        case .user, .person:
            if found.takeFullName(text, isSure: kind == .person) { return [.name(.user, found.range)] + found.rest }
            if kind == .person, found.sign != .none { found.extendName(text) }
            found.trimStop(text)
            // `-DisplayName 'Service Bus*'` names several objects.
            let isParameter = text.byte(word.lowerBound - 1) == UInt8(ascii: "-")
            if isParameter, found.range.contains(where: { text[$0] == UInt8(ascii: "*") }) { return nil }
            let label = text.string(word.lowerBound..<found.start).lowercased()
            let isLabel = ["user", "name", "account", "konto"].contains { label.contains($0) }
            let isNamed = found.isName(text) || isLabel && found.isSpokenName(text)
            guard isNamed, !isOther(text, word, found.range) else { return nil }
            let holdsMore = found.range.contains { "|:".utf8.contains(text[$0]) }
            return (holdsMore ? [.text(found.range)] : Accounts.nameParts(text, found.range)) + found.rest
        case .host:
            // `Machine name: portal` has a name, but `Server: ready` does not.
            let isLabel = isOfName(text, word, found.start) || SpokenNames.isHyphenated(text, found.range)
            guard found.isName(text) || isLabel && found.isSpokenName(text) else { return nil }
            let host =
                found.range.lowerBound..<text.nameEnd(from: found.range.lowerBound, before: found.range.upperBound)
            guard !host.isEmpty, !text.has("0x", at: host.lowerBound), !text.has("localhost", at: host.lowerBound),
                !WindowsPaths.isFileName(text, host),
                // A product with its version, such as `Microsoft-IIS/10.0`.
                text.byte(host.upperBound) != UInt8(ascii: "/") || !text.byte(host.upperBound + 1).isDigit,
                text.byte(host.upperBound) != UInt8(ascii: ":") || text.byte(host.upperBound + 1).isDigit
            else { return nil }
            return NetworkNames.hostParts(text, host) + [.words(host.upperBound..<found.range.upperBound)] + found.rest
        case .hosts: return found.takeList(text).flatMap { NetworkNames.hostParts(text, $0.name) + [.keep($0.rest)] }
        case .machineAccount:
            // A Kerberos event names the service by its account; elsewhere, a service has a name of its own.
            guard text.byte(found.range.upperBound - 1) == UInt8(ascii: "$") else { return nil }
            return Accounts.nameParts(text, found.range) + found.rest
        case .domain:
            // `Account Domain: contoso` in the events of Windows has a name, but `Domain: unknown` may have none.
            let label = text.string(word.lowerBound..<found.start).lowercased()
            let isLabel = ["account", "konto", "realm"].contains { label.contains($0) } && found.isSpokenName(text)
            guard found.isName(text) || isLabel,
                !found.range.contains(where: { text[$0].isBlank || text[$0] == UInt8(ascii: "/") })
            else { return nil }
            return [.name(.domain, found.range)] + found.rest
        }
    }

    /// Returns whether the value of `-Identity` names an object other than a person: a solution with its file, or an
    /// object of several words, such as a service application.
    private static func isOther(_ text: Span<UInt8>, _ word: Range<Int>, _ value: Range<Int>) -> Bool {
        guard text.has("identity", at: word.lowerBound) else { return false }
        let isParameter = text.byte(word.lowerBound - 1) == UInt8(ascii: "-")
        let hasAccount = value.contains { "\\|@".utf8.contains(text[$0]) }
        let isPath = value.count > 2 && text[value.lowerBound + 1] == UInt8(ascii: ":")
        return WindowsPaths.isFileName(text, value)
            || isParameter && (isPath || !hasAccount && value.contains { text[$0].isBlank })
    }

    /// Returns whether the label before a value ends in `name`, as in `Machine name:`.
    private static func isOfName(_ text: Span<UInt8>, _ word: Range<Int>, _ value: Int) -> Bool {
        text.string(word.lowerBound..<value).lowercased().contains("name")
    }

    /// Returns the kind of field that a name denotes, and where the name, which may have two words, ends.
    private static func kind(_ text: Span<UInt8>, _ word: Range<Int>, before limit: Int) -> (Kind, Int)? {
        let next = text.byte(word.upperBound)
        guard (2...32).contains(word.count), next == 0x20 || isSign(next) else { return nil }
        if word.count == 2 { return attribute(text, word).map { ($0, word.upperBound) } }
        if beginnings.mayHold(text, word) {
            if next == 0x20 {
                let second = text.nameEnd(from: word.upperBound + 1, before: limit)
                if second > word.upperBound + 1, second - word.lowerBound <= 32, mayHaveValue(text, after: second),
                    let kind = kinds[text.folded(word.lowerBound..<second)]
                {
                    return (kind, second)
                }
            }
            if mayHaveValue(text, after: word.upperBound), let kind = kinds[text.folded(word)] {
                return (kind, word.upperBound)
            }
        }
        // `smtpPassword`, `FedAuth1`, `farm.passphrase`.
        guard next != 0x20, word.count > 3 else { return nil }
        let name = text.folded(word)
        return isSecret(name) ? (.secret, word.upperBound) : nil
    }

    /// Returns whether a sign or a quote may follow a name; most words are followed by another word.
    private static func mayHaveValue(_ text: Span<UInt8>, after name: Int) -> Bool {
        let place = text.skippingBlanks(name)
        return place == name || isSign(text.byte(place)) || text.byte(place) == UInt8(ascii: "`")
    }

    /// Returns the kind of a distinguished name's attribute, which is so short that an equals sign must follow.
    private static func attribute(_ text: Span<UInt8>, _ word: Range<Int>) -> Kind? {
        guard text.byte(text.skippingBlanks(word.upperBound)) == UInt8(ascii: "=") else { return nil }
        switch (text[word.lowerBound].lowercased, text[word.lowerBound + 1].lowercased) {
        case (UInt8(ascii: "c"), UInt8(ascii: "n")): return .commonName
        case (UInt8(ascii: "o"), UInt8(ascii: "u")): return .unit
        case (UInt8(ascii: "d"), UInt8(ascii: "c")): return .domainComponent
        case (UInt8(ascii: "s"), UInt8(ascii: "n")): return .person
        default: return nil
        }
    }

    /// Returns whether a lowercase name is that of a field that contains a secret.
    static func isSecret(_ name: String) -> Bool {
        kinds[name] == .secret || name.hasPrefix("fedauth") || secretEnds.contains(where: name.hasSuffix)
    }

    /// Returns whether a byte may follow the name of a field: a sign, or a closing quote around the name.
    private static func isSign(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "=", ":", ">", "\"", "'", "\\", "&", "]": true
        default: false
        }
    }

    /// The first words of the names, so that nearly all words need no lookup.
    private static let beginnings = WordFilter(kinds.keys.map { $0.prefix { $0 != " " } })

    private static let secretEnds = [
        "password", "passphrase", "secret", "apikey", "api_key", "api-key", "accesskey", "access_key", "access_key_id",
        "accesskeyid", "accountkey", "pwd",
        "sharedkey",
    ]

    private static let kinds: [String: Kind] = {
        let names: [(Kind, String)] = [
            (
                .secret,
                """
                password,pwd,passwd,passphrase,passcode,secret,clientsecret,client_secret,client secret,accountkey,
                account key,sharedaccesskey,shared access key,sharedsecret,apikey,api_key,api-key,api key,accesskey,
                access_key,access key,access_token,accesstoken,refresh_token,refreshtoken,id_token,sig,fedauth,rtfa,
                aspxauth,asp.net_sessionid,sessionid,edgeaccesscookie,requestdigest,x-requestdigest,formdigest,viewstate,
                eventvalidation,samlresponse,saml,wresult,assertion,spapptoken,sptoken,validationkey,decryptionkey,
                privatekey,private key,storagekey,primarykey,samlassertion
                """
            ),
            (.cookies, "cookie,cookies,set-cookie,authorization,proxy-authorization"),
            (
                .user,
                """
                user,username,user name,userid,user id,uid,login,loginname,login name,account,accountname,account name,
                samaccountname,userprincipalname,upn,useraccount,user account,logonname,logon name,for user,onbehalfof,
                preferredusername,principal,identity,logon account,kontoname,anmeldekonto
                """
            ),
            (
                .person,
                """
                displayname,display name,fullname,full name,preferredname,givenname,given name,firstname,first name,
                lastname,last name,surname,editor,author,modifiedby,modified by,createdby,created by
                """
            ),
            (.named, "name"),
            (
                .somebody,
                """
                owner,manager,assignedto,assigned to,approver,requester,requestor,initiator,contact,sender,recipient,
                managed by,managedby,requested by,requestedby,checked out to
                """
            ),
            (
                .host,
                """
                data source,datasource,server,servername,server name,host,hostname,host name,machine,machinename,
                machine name,computer,computername,computer name,nodeid,node id,server instance,network address,addr,workstation id,wsid,dbserver,
                databaseserver,database server,sqlserver,sql server,smtpserver,smtp server,domain controller,proxyserver,
                workstation name,source workstation,client name,arbeitsstationsname,quellarbeitsstation,
                aufrufercomputername
                """
            ),
            (.hosts, "failing servers"),
            (.machineAccount, "service name"),
            (.domain, "domain,domainname,domain name,account domain,realm name,kontodomäne,forest,netbiosname"),
            (
                .searchTerms,
                "querytext,query text,searchterm,searchterms,search terms,searchquery,keywordquery,userquery,keywords"
            ),
        ]
        var kinds: [String: Kind] = [:]
        for (kind, list) in names {
            for name in list.split(whereSeparator: { $0 == "," || $0 == "\n" }) { kinds[name.lowercased()] = kind }
        }
        return kinds
    }()
}

/// A set of words that records only first letters and lengths, which is enough to exclude nearly all other words.
private struct WordFilter {
    /// A bit for each length, by first letter.
    private var lengths = [UInt64](repeating: 0, count: 32)

    init(_ words: [Substring]) {
        for word in words {
            guard let first = word.utf8.first, word.utf8.count < 64 else { continue }
            lengths[Int(first & 31)] |= 1 << UInt64(word.utf8.count)
        }
    }

    func mayHold(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool {
        lengths[Int(text[word.lowerBound] & 31)] & (1 << UInt64(word.count)) != 0
    }
}

extension Span<UInt8> {
    /// Returns the text of a range, with ASCII letters in lowercase.
    fileprivate func folded(_ range: Range<Int>) -> String {
        String(decoding: range.map { self[$0].lowercased }, as: UTF8.self)
    }
}

/// The value of a field: the text after its name and a sign, possibly in quotes.
struct FieldValue {
    enum Sign { case none, equals, colon, tag }

    private(set) var sign = Sign.none
    private(set) var range: Range<Int>
    /// The offset at which the value begins, and the offset at which it ends, including quotes.
    let start: Int
    private(set) var end: Int
    private(set) var isQuoted = false
    private let limit: Int
    /// Whether a colon and a blank precede the value, as in a sentence.
    private var isSpoken = false

    /// Whether quotes or tags mark the end of the value.
    var isDelimited: Bool { isQuoted || sign == .tag }

    /// The text after the value that is part of it: the closing quote.
    var rest: [Detection.Part] { range.upperBound < end ? [.keep(range.upperBound..<end)] : [] }

    /// Reads the value after a name; `nil` if there is none.
    init?(_ text: Span<UInt8>, after name: Int, before limit: Int) {
        self.limit = limit
        var offset = name
        let opened = Self.quote(text, at: offset)
        if opened > 0, ":=".utf8.contains(text.byte(text.skippingBlanks(offset + opened))) {
            // "password": "…"
            offset += opened
        } else if opened > 0, text.has(" value=", at: offset + opened) {
            // key="password" value="…"
            offset += opened + 6
        }
        let signPlace = text.skippingBlanks(offset)
        switch text.byte(signPlace) {
        case UInt8(ascii: "="):
            sign = .equals
            offset = signPlace + 1
        case UInt8(ascii: ":"):
            sign = .colon
            offset = signPlace + 1
            isSpoken = text.byte(offset).isBlank
        case UInt8(ascii: ">") where signPlace == name:
            sign = .tag
            offset = signPlace + 1
        default: break
        }
        offset = sign == .tag ? offset : text.skippingBlanks(offset)
        // The events of Windows align their values by tabs.
        if sign == .colon { for _ in 0..<4 where text.byte(offset) == 0x09 { offset += 1 } }
        let quote = Self.quote(text, at: offset)
        guard sign != .none || quote > 0 && offset > name, offset < limit else { return nil }
        start = offset + quote
        range = start..<start
        end = start
        guard start <= limit else { return nil }
        if quote > 0 {
            isQuoted = true
            let close = (start..<min(limit, start + 8192)).first { place in
                (0..<quote).allSatisfy { text.byte(place + $0) == text[offset + $0] }
            }
            range = start..<(close ?? limit)
            end = min(limit, range.upperBound + (close == nil ? 0 : quote))
        } else if sign == .tag {
            // `<account>` may also occur in a sentence.
            extend(text) { $0 != UInt8(ascii: "<") }
            guard text.has("</", at: end) else { return nil }
        } else {
            extend(text) { !$0.isBlank && !$0.isQuote && !";&<>,)]}|".utf8.contains($0) }
        }
    }

    /// Continues the value while a condition holds, unless quotes end it.
    mutating func extend(_ text: Span<UInt8>, before bound: Int? = nil, while condition: (UInt8) -> Bool) {
        guard !isQuoted else { return }
        range = start..<text.end(from: start, before: bound ?? limit, while: condition)
        while range.upperBound > start, text[range.upperBound - 1].isBlank { range = start..<range.upperBound - 1 }
        end = range.upperBound
    }

    mutating func extendToLineEnd(_ text: Span<UInt8>) {
        extend(text) { $0 != 0x0A && $0 != 0x0D && $0 != UInt8(ascii: "\"") }
    }

    /// Continues a secret, which may contain any sign, and may also contain blanks if a semicolon follows, as in a
    /// connection string.
    mutating func extendWithin(_ text: Span<UInt8>) {
        guard !isQuoted, sign == .equals else { return }
        extend(text) { !$0.isBlank && !";&<>\"".utf8.contains($0) }
        let whole = text.end(from: start, before: min(limit, start + 128)) { !";\"\r\n=<>".utf8.contains($0) }
        if text.byte(whole) == UInt8(ascii: ";"), whole > end { extend(text) { !";\"\r\n=<>".utf8.contains($0) } }
        // A closing bracket around the entire field is not part of the value.
        while range.count > 1, ")]'".utf8.contains(text[range.upperBound - 1]) { range = start..<range.upperBound - 1 }
        end = range.upperBound
    }

    /// Continues the name of a person, which may contain blanks.
    mutating func extendName(_ text: Span<UInt8>) {
        extend(text, before: min(limit, start + Self.longestName)) {
            !$0.isQuote && !";,<>()[]|\r\n\t&=".utf8.contains($0)
        }
        // `GivenName=Anna SN=Berger`: the last word is the next field's name.
        if !isQuoted, text.byte(end) == UInt8(ascii: "="), let blank = range.last(where: { text[$0] == 0x20 }) {
            range = start..<blank
            end = blank
        }
        takeReversedName(text)
    }

    /// Extends `Berger` to `Berger, Anna`, provided that only a name follows.
    private mutating func takeReversedName(_ text: Span<UInt8>) {
        guard !isQuoted, sign != .tag, text.byte(end) == UInt8(ascii: ","), text.byte(end + 1) == 0x20,
            let last = PersonNames.words(text, range.lowerBound, before: end), last.end == end, last.count == 1,
            let first = PersonNames.words(text, end + 2, before: limit), first.count <= 2, !first.hasCommon,
            first.end == limit || ";,<>()[]|\r\n\t&.'\"".utf8.contains(text[first.end])
        else { return }
        range = start..<first.end
        end = first.end
    }

    /// Takes a name of several words, but nothing else in a sentence; returns false and changes nothing if there is no
    /// name.
    ///
    /// If the field is certain to name a person, the name may contain common words, as in `DisplayName: Jimmy Page`. In
    /// other fields, it must not, because of values such as `name="Default Zone"`, and a value in quotes must consist
    /// entirely of the name.
    mutating func takeFullName(_ text: Span<UInt8>, isSure: Bool) -> Bool {
        guard sign != .none || isQuoted else { return false }
        if isDelimited { return !isSure && PersonNames.isName(text, range) }
        guard let words = PersonNames.words(text, start, before: boundOfName(text)),
            words.count > 1 || isSure && isSpoken && endsValue(text, words.end), words.isMixed,
            isSure ? !words.beginsCommonly : !words.hasCommon && !words.hasDigit, !text.has("sharepoint", at: start)
        else { return false }
        // Signs within it, or before an equals sign, are part of another form, such as that of an account.
        guard isSpoken || words.end >= range.upperBound else { return false }
        if isSure, !isSpoken { return false }
        range = start..<words.end
        end = words.end
        if isSure { takeReversedName(text) }
        return true
    }

    /// Returns whether a value may end at an offset: at the end of the text, at a sign, or before the next field of an
    /// event.
    private func endsValue(_ text: Span<UInt8>, _ offset: Int) -> Bool {
        offset == limit || ";,<>()[]|\r\n\t&".utf8.contains(text[offset])
            || text[offset] == 0x20 && ("([<|".utf8.contains(text.byte(offset + 1)) || isLabel(text, after: offset))
    }

    /// Returns whether the label of a field, up to four words and a colon, follows blanks.
    private func isLabel(_ text: Span<UInt8>, after offset: Int) -> Bool {
        var place = text.end(from: offset, before: limit) { $0 == 0x20 || $0 == 0x09 }
        guard place < limit, text[place].isUppercase else { return false }
        for _ in 0..<4 {
            place = text.end(from: place, before: limit) { $0.isWord || $0 == UInt8(ascii: "-") }
            if text.byte(place) == UInt8(ascii: ":") { return text.byte(place + 1).isBlank || place + 1 == limit }
            guard text.byte(place) == 0x20 else { return false }
            place += 1
        }
        return false
    }

    /// Returns the end of the text that may be part of a name: the place before the next field of an event of Windows,
    /// if there is one.
    private func boundOfName(_ text: Span<UInt8>) -> Int {
        let bound = min(limit, start + Self.longestName)
        return (start..<bound).first { place in
            text[place].isBlank && Self.nextFields.contains { text.has($0, at: place + 1) }
        } ?? bound
    }

    /// The fields that follow those with names in the events of Windows auditing.
    private static let nextFields: [StaticString] = [
        "account domain:", "account name:", "logon id:", "logon guid:", "security id:", "linked logon id:",
        "elevated token:", "network account", "source workstation:", "error code:", "kontodom", "anmelde-id:",
        "user id:", "additional information:", "group domain:",
    ]

    /// Continues the value of `CN=`, which ends at a comma without a backslash; returns false if the value is not a
    /// name.
    ///
    /// If no other part of a distinguished name follows, the value is a single name in a sentence.
    mutating func extendCommonName(_ text: Span<UInt8>) -> Bool {
        guard sign == .equals, !range.isEmpty, text[start].isWord else { return false }
        if !isQuoted {
            let bound = min(limit, start + Self.longestName)
            var stop = start
            while stop < bound, !",+/;<>\"\r\n".utf8.contains(text[stop]) {
                stop += text[stop] == UInt8(ascii: "\\") && stop + 1 < bound ? 2 : 1
            }
            let next = text.nameEnd(from: text.skippingBlanks(stop + 1), before: limit)
            let isPart = stop < limit && text.byte(next) == UInt8(ascii: "=")
            if isPart {
                range = start..<stop
            } else if let words = PersonNames.words(text, start, before: bound), words.end > range.upperBound {
                range = start..<words.end
            }
            end = range.upperBound
        }
        let words = text.string(range).lowercased().split(separator: " ").map(String.init)
        return range.count > 1 && range.contains { text[$0].isLetter || text[$0] >= 0x80 } && !isPlaceholder(text)
            && !words.allSatisfy { CommonWords.contains($0) || Self.directoryWords.contains($0) }
            && !words.contains { Self.authorityWords.contains($0) || $0.hasPrefix("sharepoint") || $0 == "microsoft" }
            && !(words.count == 1 && range.contains { text[$0] == UInt8(ascii: ".") })
    }

    /// Words, in addition to common ones, for objects that exist in every directory.
    private static let directoryWords: Set<String> = [
        "admins", "computers", "controllers", "deleted", "foreignsecurityprincipals", "managed", "objects",
        "partitions", "program", "publishers", "schema", "builtin", "of", "&",
    ]

    /// Words that occur in the names of certificate authorities.
    private static let authorityWords: Set<String> = ["ca", "authority", "certification", "root", "signing", "issuing"]

    /// The maximum length of a name of several words, in bytes.
    private static let longestName = 128

    func isPlaceholder(_ text: Span<UInt8>) -> Bool {
        let value = text.string(range).lowercased()
        return [
            "***", "•••", "…", "null", "(null)", "true", "false", "yes", "no", "(unknown)", "none", "(none)", "...",
        ].contains(
            value
        )
            || value.hasPrefix("{") && value.hasSuffix("}") || value.hasPrefix("•")
    }

    /// Returns whether a colon begins a sentence rather than a value: `Password: The user must …`.
    func isSentence(_ text: Span<UInt8>) -> Bool {
        guard isSpoken, !isQuoted, range.allSatisfy({ text[$0].isLetter }) else { return false }
        return text.byte(range.upperBound) == 0x20 && text.byte(range.upperBound + 1).isWord
    }

    /// Returns whether the value may be a name: not a number, a common word, a class, or the beginning of a sentence.
    func isName(_ text: Span<UInt8>) -> Bool {
        guard (2...256).contains(range.count), text[range.lowerBound].isWord || text[range.lowerBound].isJoint,
            !isPlaceholder(text), !isSentence(text)
        else { return false }
        guard range.contains(where: { text[$0].isLetter || text[$0] >= 0x80 }) else { return false }
        let value = text.string(range).lowercased()
        guard !value.hasPrefix("microsoft."), !value.hasPrefix("system.") else { return false }
        // `Secure Store` consists of common words only.
        if value.contains(" "), value.split(separator: " ").allSatisfy({ CommonWords.contains(String($0)) }) {
            return false
        }
        if isSpoken, !isQuoted {
            // `Host: Initializing the cache` is a sentence.
            return range.contains { text[$0].isDigit || "\\@|._".utf8.contains(text[$0]) }
                || range.count > 2 && range.allSatisfy { !text[$0].isLowercase }
        }
        let words = value.split(separator: " ").count
        return !CommonWords.contains(value) && words <= 5 && !value.hasPrefix("sp") && !value.contains("::")
            || value.hasPrefix("sp") && isAccountOfService(text)
    }

    /// Returns whether the value is a single word at the end of a sentence about a user, such as
    /// `Access denied to user: ann`.
    func isSpokenName(_ text: Span<UInt8>) -> Bool {
        isSpoken && !isQuoted && !isPlaceholder(text) && SpokenNames.isName(text, range)
            && (endsValue(text, range.upperBound) || text.byte(range.upperBound) == UInt8(ascii: "."))
    }

    /// Extends the value to a list of names, `WFE1, WFE2`; returns them with the text after each.
    mutating func takeList(_ text: Span<UInt8>) -> [(name: Range<Int>, rest: Range<Int>)] {
        var names: [(name: Range<Int>, rest: Range<Int>)] = []
        var place = start
        while place < limit {
            let name = place..<text.nameEnd(from: place, before: limit)
            guard !name.isEmpty else { break }
            place = text.end(from: name.upperBound, before: limit) { $0 == UInt8(ascii: ",") || $0 == 0x20 }
            let goesOn = text.byte(name.upperBound) == UInt8(ascii: ",")
            names.append((name, name.upperBound..<(goesOn ? place : name.upperBound)))
            guard goesOn else { break }
        }
        range = start..<(names.last?.rest.upperBound ?? start)
        end = range.upperBound
        return names
    }

    /// Leaves out the period at the end of a sentence.
    mutating func trimStop(_ text: Span<UInt8>) {
        guard !isDelimited, range.count > 1, text[range.upperBound - 1] == UInt8(ascii: ".") else { return }
        range = start..<range.upperBound - 1
        end = range.upperBound
    }

    /// Returns whether a name that begins like a SharePoint class looks like an account: `spfarm`, `sp_admin`.
    private func isAccountOfService(_ text: Span<UInt8>) -> Bool {
        range.contains { text[$0].isDigit || "\\@|_-".utf8.contains(text[$0]) }
            || range.allSatisfy { text[$0].isLowercase }
            || range.allSatisfy { !text[$0].isLowercase }
    }

    /// Returns the length of a quote, whether escaped or not; 0 if there is none.
    private static func quote(_ text: Span<UInt8>, at offset: Int) -> Int {
        // In a quoted cell of a table, each quotation mark is doubled.
        let inner = text.byte(offset + 2)
        if text.has("\"\"", at: offset), inner.isWord || "$\\#!%*@".utf8.contains(inner) { return 2 }
        if text.byte(offset).isQuote { return 1 }
        if text.byte(offset) == UInt8(ascii: "\\"), text.byte(offset + 1).isQuote { return 2 }
        for entity: StaticString in ["&quot;", "&apos;", "&#39;", "&#34;", "\\u0027", "\\u0022"]
        where text.has(entity, at: offset) {
            return entity.utf8CodeUnitCount
        }
        return 0
    }
}

extension Span<UInt8> {
    /// Skips at most two blanks.
    func skippingBlanks(_ offset: Int) -> Int {
        var offset = offset
        for _ in 0..<2 where byte(offset) == 0x20 { offset += 1 }
        return offset
    }
}
