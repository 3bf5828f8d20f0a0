/// Words that are no names, whatever structure they stand in: masking them everywhere would make a report unreadable.
enum CommonWords {
    static func contains(_ word: String) -> Bool { words.contains(word) }

    private static let words = Set(
        """
        access account accounts activity address admin administration administrator administrators alert alerts all \
        analytics anonymous any api apis app apppool application applications apps area article asp assembly async \
        audit auth authentication author authority auto backup base batch bin build builtin business cache caller \
        catalog category central certificate change claim claims class client cloud cluster code collection com \
        command common company component config configuration connection connector contact content context control \
        controller copy core correlation count crawl crawler create current custom customer data database databases \
        date debug default delegate delete demo deploy deployment desktop dev developer development device digest \
        directory disk display distributed division document documents domain download drive edge edit editor email \
        employee empty end engine enterprise entry environment error errors event events everyone exception exchange \
        excel execute export external extranet failed failure false farm feature features feed field fields file files \
        filter finance folder forest form forms foundation full function gateway general global group groups guest \
        guests handler health help high history home host hosts html http https human identity iis image images import \
        index info information input install instance internal internet intranet invalid inventory item items job jobs \
        key language layouts legal level library license link list lists load local localhost location log logging \
        login logs low machine mail main management manager marketing master medium member members memory message \
        metadata method microsoft mobile mode model module monitor monitoring mysite mysites name names net network \
        new news none normal not notification null number object office officer online open operation operations \
        operator option order org organization other output owner owners page pages parent partner password path \
        people performance permission permissions person personal picker pipe plan point policy pool port portal post \
        power powershell process product production profile profiles program project projects property provider proxy \
        public publishing query queue read reader realm record records remote replica report reporting reports request \
        requests resource resources response rest restricted result results role root rule rules runtime sales sample \
        save scan schedule schema scope script search secret section secure security select self server servers \
        service services session sessions set settings setup shared sharepoint shell show sign site sites size smtp \
        software solution source staging standard start state statement status stop storage store string style sub \
        submit subscription success support sync system table tag target task tasks team teams temp template templates \
        tenant test testing tests text time timeout timer title token tokens tool tools topology trace tracing train \
        training transaction translation trust type unknown update upgrade upload url usage user users value values \
        version video view viewer virtual visitor visitors volume warning web webapp webapplication webpart webparts \
        websites website wiki window windows winword word words work worker workers workflow workflows world write \
        writer xml zone the and for with from this that was were are you your has have had will would can could may \
        must should does did done been being into onto over under than then when where which while who whom whose why \
        what how its his her their our out off too very via per yes nil true undefined unavailable required missing \
        found failed denied refused expired incorrect wrong
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )
}
