// What a line looks like that defines a name, in the languages of the trade.

const KEYWORDS =
  'class|interface|struct|enum|trait|type|def|fn|func|fun|function[*]?|object|record|module|namespace|macro_rules!|protocol';
/** Variables count only where they stand at the left margin: inside a function they are its own business. */
const TOP_LEVEL = '^(export[[:space:]]+)?(const|let|var|val|static|pub const|pub static)';
const NOT_A_TYPE = /\b(?:return|new|await|throw|yield|else|in|of|case|not|and|or|if|raise|assert|import|from|use)\s+$/;

/** Whether the line defines the name: by a keyword, by assigning a function, or as a method. */
export function isDefinition(line: string, name: string): boolean {
  const at = line.indexOf(name);
  if (at < 0 || line.length > 500) return false;
  const keyword = new RegExp(`\\b(?:${KEYWORDS})\\s+(?:\\([^)]*\\)\\s*)?${name}(?!\\w)`);
  if (keyword.test(line) || topLevel(name).test(line)) return true;
  const assigned = new RegExp(`^\\s*(?:export\\s+)?${name}\\s*[:=]\\s*(?:async\\b|function|class|\\(.*=>)`);
  return assigned.test(line) || isMethod(line, at, name);
}

function topLevel(name: string): RegExp {
  return new RegExp(`${TOP_LEVEL.replaceAll('[[:space:]]', '\\s')}\\s+${name}(?!\\w)`);
}

function isMethod(line: string, at: number, name: string): boolean {
  const before = line.slice(0, at);
  const after = line.slice(at + name.length).trimStart();
  if (!after.startsWith('(') || line.includes(';') || NOT_A_TYPE.test(before)) return false;
  const opens = /\)[^()]*\{\s*$/.test(line);
  return /^\s*$/.test(before) ? opens : isModifiers(before) && (opens || /[A-Z]|\bvoid\b|\bpublic\b/.test(before));
}

function isModifiers(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return words.length <= 8 && words.every((word) => /^[A-Za-z<@][\w<>,.?[\]]*$/.test(word));
}
