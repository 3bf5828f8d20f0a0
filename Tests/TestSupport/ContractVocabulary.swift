/// The documents of the contract, as an engine's collections can hold them.
///
/// Most engines take any JSON object. One with a schema has names for the types of fields, or no objects in documents;
/// it is asked the same of documents that fit.
public struct ContractVocabulary: Sendable {
    /// A field for whole numbers.
    var number = "n"
    /// A field for text that is searched by words.
    var text = "text"
    /// A field with a value that is replaced as one, and two such values.
    var whole = (name: "deep", first: #"{"x":1}"#, second: #"{"y":1}"#)
    /// Documents to find something in; their meaning is the same for all engines.
    var findable = [
        "a": #"{"title":"The quick brown fox","tags":["red","slow food"],"year":1999}"#,
        "b": #"{"title":"Café Zürich","body":{"text":"quick: the brown dog's fox"},"year":"1999"}"#,
        "c": #"{"title":"brown","other":"fox","color":"red","flag":true}"#,
        "d": #"{"quick":1,"title":"keys are not searched"}"#,
    ]
    /// Finds `Café Zürich`.
    var accented = ["cafe", "zurich"]
    /// Names of fields in ``findable``.
    var color = "color"
    var year = "year"
    var flag = "flag"

    public static let json = ContractVocabulary()

    /// Fields whose names end in their type, and text that only loses its case.
    public static let suffixes = ContractVocabulary(
        number: "n_i",
        text: "text_t",
        whole: (name: "deep_s", first: #""x""#, second: #""y""#),
        findable: [
            "a": #"{"title":"The quick brown fox","tags_t":"red","body_t":"slow food","year_i":1999}"#,
            "b": #"{"title":"Café Zürich","body_t":"quick: the brown dog, fox","year_i":"1999"}"#,
            "c": #"{"title":"brown","other_t":"fox","color_s":"red","flag_s":"true"}"#,
            "d": #"{"quick_i":1,"title":"keys are not searched"}"#,
        ],
        accented: ["café", "zürich"],
        color: "color_s",
        year: "year_i",
        flag: "flag_s"
    )
}
