// What is a comment in a source file, by the ending of its name.

const HASH = /\.(?:pyx?|pyi|rb|rake|sh|bash|exs?|pl|pm|r|jl|ya?ml|toml)$/i;

const SLASHES =
  /\.(?:[cm]?[jt]sx?|java|kts?|go|rs|cs|c|cc|cpp|cxx|h|hh|hpp|m|mm|scala|swift|dart|groovy|css|s[ac]ss|less)$/i;

const DIRECTIVE = /^#(?:\[|\s*(?:include|define|undef|if|el|end|pragma|error|import)\b)/;

/** Whether comments of the language begin with `#`, and never with `//`. */
export function hasHashComments(path: string): boolean {
  return HASH.test(path);
}

/** Whether the line is only a comment, or goes on with one by a star. Of an unknown language either form is one. */
export function isCommentLine(path: string, line: string): boolean {
  const start = line.trimStart();
  if (start.startsWith('#!')) return false;
  if (start.startsWith('#')) return HASH.test(path) || !(SLASHES.test(path) || DIRECTIVE.test(start));
  return !HASH.test(path) && /^(?:\/\/|\/\*|\*|<!--)/.test(start);
}
