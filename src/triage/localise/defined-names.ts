// The names that a source file defines, found line by line in any of the usual languages.

/** Longer lines are data or generated; expressions over them cost time. */
const MAX_LINE = 400;
/** A word before a name that says "this is defined here", in the languages of the trade. */
const KEYWORD =
  /(?:^|[\s(;{@])(?:class|interface|struct|enum|trait|type|def|fn|func|fun|function\*?|object|record|module|namespace|macro_rules!|protocol|mod|union|typealias)\s+(?:\([^()]{0,80}\)\s*)?(?:<[^<>]{0,60}>\s*)?(?:[\w$]{1,60}(?:<[^<>]{0,60}>)?\.)?([A-Za-z_$][\w$]{1,63})/g;
/** Variables count only near the left margin: inside a function they are its own business. */
const VARIABLE =
  /^(?:export\s+|pub(?:\([a-z]+\))?\s+|public\s+|private\s+|static\s+|final\s+|declare\s+){0,4}(?:const|let|var|val|static)\s+(?:mut\s+)?([A-Za-z_$][\w$]{1,63})/;
const CONSTANT = /^\s{0,4}([A-Z][A-Z0-9_]{2,63})\s*(?::[^=]{1,60})?=(?!=)/;
const ASSIGNED =
  /^\s{0,8}(?:[\w$]{1,40}\.){0,3}([A-Za-z_$][\w$]{1,63})\s*[:=]\s*(?:async\b\s*)?(?:function\b|class\b|\([^()]{0,200}\)\s*(?::[^=]{1,80})?=>|[\w$]{1,40}\s*=>)/;
/** Modifiers and a return type, a name, parameters, a block; or, in the middle of long parameters, the end of the line. */
const METHOD =
  /^\s{1,12}(?:[A-Za-z@<][\w.<>,?[\]&]{0,60}\s+){0,7}[*#]?([A-Za-z_$][\w$]{1,63})\s*(?:<[^<>]{0,60}>)?\([^;=]{0,300}(?:\{|,|\()\s*$/;
const NOT_A_METHOD =
  /^\s*(?:if|else|for|foreach|while|do|switch|case|catch|return|throw|new|await|yield|typeof|delete|super|with|match|when|assert|raise|not|and|or|in|is|print|elif|except|import|from|use|using|lock|synchronized|sizeof|unless|until|defer|go|select|let|const|var|val|expect|it|describe|test)\b/;

/** Each as it is written, possibly more than once. */
export function definedNames(text: string): readonly string[] {
  const names: string[] = [];
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    if (to - from > 4 && to - from <= MAX_LINE) definedIn(text.slice(from, to), names);
    from = to + 1;
  }
  return names;
}

/** Adds the names that a line defines. */
function definedIn(line: string, names: string[]): void {
  const first = line.charCodeAt(line.search(/\S/));
  // Comments define nothing; `#` also begins a private member or an attribute, which the expressions do not need.
  if (Number.isNaN(first) || first === 35 || first === 42 || (first === 47 && /^\s*\/[/*]/.test(line))) return;
  if (addAfterKeywords(line, names)) return;
  const name = (VARIABLE.exec(line) ?? CONSTANT.exec(line) ?? ASSIGNED.exec(line))?.[1] ?? methodName(line);
  if (name !== undefined) names.push(name);
}

function addAfterKeywords(line: string, names: string[]): boolean {
  const before = names.length;
  // Not `matchAll`: it makes a copy of the expression for each line.
  KEYWORD.lastIndex = 0;
  for (let match = KEYWORD.exec(line); match !== null; match = KEYWORD.exec(line)) {
    if (match[1] !== undefined) names.push(match[1]);
  }
  return names.length > before;
}

function methodName(line: string): string | undefined {
  const last = line.trimEnd().at(-1);
  if ((last !== '{' && last !== ',' && last !== '(') || NOT_A_METHOD.test(line)) return undefined;
  return last === '{' || line.trimEnd().endsWith('(') ? METHOD.exec(line)?.[1] : undefined;
}
