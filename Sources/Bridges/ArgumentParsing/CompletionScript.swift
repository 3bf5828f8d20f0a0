/// A script that teaches a shell to complete a program's command lines.
///
/// Each script is a shim that calls the program itself: `PROGRAM __complete SHELL INDEX WORDS...`. The answer is the
/// directive (`words`, `files` or `folders`), then one candidate a line, for zsh and fish followed by a tab and its
/// meaning.
public enum CompletionScript {
    /// Returns a script for bash 4.3 or later, to be sourced, or put into `bash-completion/completions/PROGRAM`.
    public static func bash(_ program: String) -> String {
        let function = functionName(of: program)
        return #"""
            # bash completion for \#(program)
            \#(function)() {
                local -a words=() lines=()
                local i word line rest=${COMP_LINE-}
                # bash also splits at ':', '=' and '@'. Pieces without a blank between them are one word.
                for ((i = 0; i <= COMP_CWORD; i++)); do
                    word=${COMP_WORDS[i]-}
                    if ((i > 1)) && [[ $rest != [[:blank:]]* && ($word == [:=@]* || ${COMP_WORDS[i - 1]} == *[:=@]) ]]; then
                        words[${#words[@]} - 1]+=$word
                    else
                        words+=("$word")
                    fi
                    rest=${rest#*"$word"}
                done
                # Only the piece after the last ':', '=' or '@' is replaced.
                local piece=${COMP_WORDS[COMP_CWORD]-}
                [[ -n ${piece//[:=@]/} ]] || piece=
                COMPREPLY=()
                # bash replaces what follows the open quote. It opens the word, or nothing is offered.
                local quote='' bare=${piece//\\?/}
                case $piece in
                    \'*) quote=\' bare=${piece#?} ;;
                    \"*) quote=\" bare=${bare#?} ;;
                esac
                [[ $bare != *[\"\']* ]] || return
                local before=${words[${#words[@]} - 1]%"$piece"}
                before=${before//[\\\"\']/}
                mapfile -t lines < <(\#(program) __complete bash $((${#words[@]} - 2)) "${words[@]:1}" 2>/dev/null)
                case ${lines[0]-} in
                    files) compopt -o default 2>/dev/null ;;
                    folders) compopt -o dirnames 2>/dev/null ;;
                esac
                for line in "${lines[@]:1}"; do
                    line=${line#"$before"}
                    case $quote in
                        \') line=${line//\'/\'\\\'\'} ;;
                        \")
                            line=${line//\\/\\\\}
                            line=${line//\"/\\\"}
                            line=${line//\$/\\\$}
                            line=${line//\`/\\\`}
                            line=${line//!/\"\\!\"}
                            ;;
                        *) printf -v line %q "$line" ;;
                    esac
                    COMPREPLY+=("$line")
                done
            }
            complete -F \#(function) \#(program)
            """#
    }

    /// Returns a script to be sourced after `compinit`, or put into a folder of `fpath` as `_PROGRAM`.
    public static func zsh(_ program: String) -> String {
        let function = functionName(of: program)
        return #"""
            #compdef \#(program)
            # zsh completion for \#(program)
            \#(function)() {
                local -a lines values
                local line word
                lines=("${(@f)$(\#(program) __complete zsh $((CURRENT - 2)) \
                    "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
                case $lines[1] in
                    files) compset -P '--*='; _files; return ;;
                    folders) compset -P '--*='; _files -/; return ;;
                esac
                for line in "${(@)lines[2,-1]}"; do
                    word=${line%%$'\t'*}
                    word=${word//\\/\\\\}
                    word=${word//:/\\:}
                    [[ $line == *$'\t'* ]] && word+=:${line#*$'\t'}
                    values+=("$word")
                done
                _describe value values
            }
            if [[ ${funcstack[1]-} == \#(function) ]]; then
                \#(function) "$@"
            else
                compdef \#(function) \#(program)
            fi
            """#
    }

    /// Returns a script to be sourced, or put into `fish/completions/PROGRAM.fish`.
    public static func fish(_ program: String) -> String {
        let function = "_" + functionName(of: program)
        return #"""
            # fish completion for \#(program)
            function \#(function)
                set -l words (commandline -opc)
                set -l typed (commandline -ct)
                set -l lines (\#(program) __complete fish (math (count $words) - 1) $words[2..] "$typed" 2>/dev/null)
                set -l option (string match -r -- '^--[^=]*=' "$typed")
                set -l path (string replace -r -- '^--[^=]*=' '' "$typed")
                switch "$lines[1]"
                    case files
                        printf "$option%s\n" (__fish_complete_path "$path")
                    case folders
                        printf "$option%s\n" (__fish_complete_directories "$path")
                    case '*'
                        string join \n -- $lines[2..]
                end
            end
            complete -c \#(program) -f -a '(\#(function))'
            """#
    }

    private static func functionName(of program: String) -> String {
        "_" + String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }
}
