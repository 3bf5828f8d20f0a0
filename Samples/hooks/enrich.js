// Adds the number of words to each document, and refuses titles in capitals: a program for hooks in JavaScript.
const lines = require("readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
    const { id, document } = JSON.parse(line);
    const title = document.title;
    let answer;
    if (typeof title === "string" && title === title.toUpperCase() && title !== title.toLowerCase()) {
        answer = { id, respond: { status: 422, message: "write the title in small letters", field: "title" } };
    } else {
        document.words = String(document.body ?? "").split(/\s+/).filter(Boolean).length;
        answer = { id, document };
    }
    // Each answer is one line. Remarks go to console.error.
    console.log(JSON.stringify(answer));
});
