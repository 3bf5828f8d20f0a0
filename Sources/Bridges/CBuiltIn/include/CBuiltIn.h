#ifndef CBUILTIN_H
#define CBUILTIN_H

/// A file of the repository that is compiled in, byte for byte.
typedef struct {
    /// The name without its folder.
    const char *name;
    /// The bytes, then a NUL; no file has one of its own.
    const unsigned char *bytes;
} EmbeddedFile;

// The files of each folder, sorted by name; an entry without a name is the end.
const EmbeddedFile *builtInRules(void);
const EmbeddedFile *builtInCodes(void);
const EmbeddedFile *builtInComponents(void);
const EmbeddedFile *builtInActivities(void);
const EmbeddedFile *builtInFrames(void);
const EmbeddedFile *builtInSchemas(void);

// The bytes of Rules/Prepared/rules.txt, then a NUL.
const unsigned char *builtInPreparedRules(void);

// The facts of the build: COMMIT;DATE;SWIFT, or an empty text.
const char *builtInBuild(void);

#endif
