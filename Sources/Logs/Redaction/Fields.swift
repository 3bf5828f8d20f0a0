/// Fields whose name tells what they hold: `Password=…`, `Data Source=…`, `"user": "…"`, `user 'ann'`.
enum Fields {
    private enum Kind {
        case secret, cookies, user, person, host, domain, searchTerms
        /// `CN=…` of a distinguished name, `OU=…`, and `DC=…`.
        case commonName, unit, domainComponent
        /// What may be a person or anything else: `owner`, and `name`, whose value tells only in quotes or a tag.
        case somebody, named
    }

    /// A field whose name begins with the word at `word`.
    static func field(_ text: Span<UInt8>, _ word: Range<Int>, before limit: Int) -> Sighting? {
        guard let (kind, nameEnd) = kind(text, word, before: limit) else { return nil }
        guard var value = FieldValue(text, after: nameEnd, before: limit) else { return nil }
        // The signature of symbols in a native stack: `(sig=dfc8b1d6-…|1|onetnative.PDB, offset=3862A)`.
        if text.has("sig=", at: word.lowerBound), text.isGUID(value.start..<min(limit, value.start + 36)) { return nil }
        guard let parts = parts(text, &value, kind) else { return nil }
        return Sighting([.keep(word.lowerBound..<value.start)] + parts, end: value.end)
    }

    /// Returns the parts of a value, which may go on further than it seemed; `nil` if it is none of this kind.
    private static func parts(_ text: Span<UInt8>, _ found: inout FieldValue, _ kind: Kind) -> [Sighting.Part]? {
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
            guard found.sign != .none else { return nil }
            found.extend(text) { !";&\r\n".utf8.contains($0) }
            return found.range.isEmpty ? nil : [.query(found.range)] + found.rest
        case .commonName:
            guard found.extendCommonName(text) else { return nil }
            // In `Berger\, Anna`, the backslash is no account's.
            let hasBlank = found.range.contains { text[$0].isBlank }
            return (hasBlank ? [.name(.user, found.range)] : Accounts.nameParts(text, found.range)) + found.rest
        case .unit:
            guard found.extendCommonName(text) else { return nil }
            return [.name(.path, found.range, isLearned: false)] + found.rest
        case .domainComponent:
            guard found.sign == .equals, found.isName(text) else { return nil }
            // The short ones, such as `corp`, are words as well.
            return [.name(.domain, found.range, isLearned: found.range.count >= 5)] + found.rest
        case .somebody, .named:
            guard found.takeFullName(text, isSure: false), found.isDelimited || kind == .somebody else { return nil }
            return [.name(.user, found.range)] + found.rest
        case .user, .person:
            if found.takeFullName(text, isSure: kind == .person) { return [.name(.user, found.range)] + found.rest }
            if kind == .person, found.sign != .none { found.extendName(text) }
            guard found.isName(text) else { return nil }
            let holdsMore = found.range.contains { "|:".utf8.contains(text[$0]) }
            return (holdsMore ? [.text(found.range)] : Accounts.nameParts(text, found.range)) + found.rest
        case .host:
            guard found.isName(text) else { return nil }
            let host =
                found.range.lowerBound..<text.nameEnd(from: found.range.lowerBound, before: found.range.upperBound)
            guard !host.isEmpty, !text.has("0x", at: host.lowerBound), !text.has("localhost", at: host.lowerBound),
                !FilePaths.isFileName(text, host),
                text.byte(host.upperBound) != UInt8(ascii: ":") || text.byte(host.upperBound + 1).isDigit
            else { return nil }
            return NetworkNames.hostParts(text, host) + [.words(host.upperBound..<found.range.upperBound)] + found.rest
        case .domain:
            guard found.isName(text),
                !found.range.contains(where: { text[$0].isBlank || text[$0] == UInt8(ascii: "/") })
            else { return nil }
            return [.name(.domain, found.range)] + found.rest
        }
    }

    /// Returns what a name of a field stands for, and where it ends: it may have two words.
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

    /// Whether what follows a name may be a sign or a quote: most words have another one behind them.
    private static func mayHaveValue(_ text: Span<UInt8>, after name: Int) -> Bool {
        let place = text.skippingBlanks(name)
        return place == name || isSign(text.byte(place)) || text.byte(place) == UInt8(ascii: "`")
    }

    /// An attribute of a distinguished name, which is so short that it needs an equals sign.
    private static func attribute(_ text: Span<UInt8>, _ word: Range<Int>) -> Kind? {
        guard text.byte(text.skippingBlanks(word.upperBound)) == UInt8(ascii: "=") else { return nil }
        switch (text[word.lowerBound].folded, text[word.lowerBound + 1].folded) {
        case (UInt8(ascii: "c"), UInt8(ascii: "n")): return .commonName
        case (UInt8(ascii: "o"), UInt8(ascii: "u")): return .unit
        case (UInt8(ascii: "d"), UInt8(ascii: "c")): return .domainComponent
        case (UInt8(ascii: "s"), UInt8(ascii: "n")): return .person
        default: return nil
        }
    }

    /// Returns whether a name in lowercase is one of a field that holds a secret.
    static func isSecret(_ name: String) -> Bool {
        kinds[name] == .secret || name.hasPrefix("fedauth") || secretEnds.contains(where: name.hasSuffix)
    }

    /// Whether a byte may follow the name of a field: a sign, or what closes quotes around the name.
    private static func isSign(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "=", ":", ">", "\"", "'", "\\", "&", "]": true
        default: false
        }
    }

    /// The first words of the names, so that nearly all words need no look-up.
    private static let beginnings = WordFilter(kinds.keys.map { $0.prefix { $0 != " " } })

    private static let secretEnds = [
        "password", "passphrase", "secret", "apikey", "api_key", "api-key", "accesskey", "accountkey", "pwd",
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
                preferredusername,principal,identity
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
                machine name,computer,computername,computer name,network address,addr,workstation id,wsid,dbserver,
                databaseserver,database server,sqlserver,sql server,smtpserver,smtp server,domain controller,proxyserver
                """
            ),
            (.domain, "domain,domainname,domain name,forest,netbiosname"),
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

/// Words by first letter and length: enough to say of nearly all others that they are none of them.
private struct WordFilter {
    /// A bit for each length, by letter.
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
    /// The text of a range, ASCII letters in lowercase.
    fileprivate func folded(_ range: Range<Int>) -> String {
        String(decoding: range.map { self[$0].folded }, as: UTF8.self)
    }
}
