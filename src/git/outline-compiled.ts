// Definitions in the compiled languages: Java and Kotlin, Go, Rust, C#, C and C++.
import { NOT_A_NAME, type OutlineLanguage } from './outline-rule.ts';

const JVM_WORDS =
  '(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|data|inner|override|synchronized|native|default|inline|suspend|operator|infix|tailrec|enum|annotation|value|strictfp|companion|lateinit|expect|actual|non-sealed|@\\w+(?:\\([^)]*\\))?)\\s+)*';

export const JVM: OutlineLanguage = {
  comments: 'c',
  rules: [
    { kind: 'interface', line: new RegExp(String.raw`^\s*${JVM_WORDS}(?:fun\s+)?@?interface\s+(?<name>\w+)`) },
    { kind: 'class', line: new RegExp(String.raw`^\s*${JVM_WORDS}(?:class|record|object|enum)\s+(?<name>\w+)`) },
    { kind: 'type', line: /^\s*(?:(?:public|private|internal)\s+)?typealias\s+(?<name>\w+)/ },
    {
      kind: 'function',
      line: new RegExp(
        String.raw`^\s*${JVM_WORDS}fun\s+(?:<[^>]+>\s*)?(?:[\w.<>?*, ]+\.)?(?<name>\w+|` +
          '`[^`]+`' +
          String.raw`)\s*\(`,
      ),
    },
    { kind: 'constant', line: /^\s*(?:(?:public|private|protected|internal)\s+)?const\s+val\s+(?<name>\w+)/ },
    {
      kind: 'constant',
      line: /^\s*(?:(?:public|private|protected)\s+)?static\s+final\s+[\w<>[\],.? ]+\s(?<name>[A-Z][A-Z0-9_]*)\s*=/,
    },
    {
      kind: 'function',
      block: true,
      line: new RegExp(
        String.raw`^\s+${JVM_WORDS}(?:<[^>]+(?:>[^>(]*)?>\s+)?(?:${NOT_A_NAME}[\w.]+(?:<[^()]*>)?(?:\[\])*\s+)?${NOT_A_NAME}(?<name>\w+)\s*\((?!.*->)`,
      ),
    },
  ],
};

export const GO: OutlineLanguage = {
  comments: 'c',
  rules: [
    { kind: 'function', line: /^func\s+(?:\([^)]*\)\s*)?(?<name>\w+)/ },
    { kind: 'interface', line: /^\s*(?:type\s+)?(?<name>\w+)(?:\[[^\]]*\])?\s+interface\s*\{/ },
    { kind: 'class', line: /^\s*(?:type\s+)?(?<name>\w+)(?:\[[^\]]*\])?\s+struct\s*\{\s*\}?$/ },
    { kind: 'type', line: /^type\s+(?<name>\w+)/ },
    { kind: 'constant', line: /^(?:const|var)\s+(?<name>\w+)/ },
  ],
};

const RUST_WORDS = String.raw`(?:pub(?:\([^)]*\))?\s+)?`;

export const RUST: OutlineLanguage = {
  comments: 'c',
  rules: [
    {
      kind: 'function',
      line: new RegExp(
        String.raw`^\s*${RUST_WORDS}(?:(?:default|const|async|unsafe|extern(?:\s+"[^"]*")?)\s+)*fn\s+(?<name>\w+)`,
      ),
    },
    { kind: 'class', line: new RegExp(String.raw`^\s*${RUST_WORDS}(?:struct|enum|union)\s+(?<name>\w+)`) },
    {
      kind: 'class',
      line: /^\s*(?:unsafe\s+)?impl(?:<.*?>)?\s+(?:[^{]*?\bfor\s+)?&?(?:'\w+\s+)?(?:mut\s+)?(?<name>[\w:]+)/,
    },
    { kind: 'interface', line: new RegExp(String.raw`^\s*${RUST_WORDS}(?:unsafe\s+)?trait\s+(?<name>\w+)`) },
    { kind: 'type', line: new RegExp(String.raw`^\s*${RUST_WORDS}type\s+(?<name>\w+)`) },
    { kind: 'module', line: new RegExp(String.raw`^\s*${RUST_WORDS}mod\s+(?<name>\w+)\s*\{`) },
    {
      kind: 'constant',
      line: new RegExp(String.raw`^\s*${RUST_WORDS}(?:const|static(?:\s+mut)?)\s+(?<name>[A-Z]\w*)\s*:`),
    },
    { kind: 'function', line: /^\s*macro_rules!\s*(?<name>\w+)/ },
  ],
};

const SHARP_WORDS =
  '(?:(?:public|private|protected|internal|static|sealed|abstract|partial|virtual|override|async|readonly|unsafe|extern|new|ref|file|required|explicit|implicit)\\s+)*';

export const SHARP: OutlineLanguage = {
  comments: 'c',
  rules: [
    { kind: 'module', line: /^\s*namespace\s+(?<name>[\w.]+)/ },
    { kind: 'interface', line: new RegExp(String.raw`^\s*${SHARP_WORDS}interface\s+(?<name>\w+)`) },
    {
      kind: 'class',
      line: new RegExp(String.raw`^\s*${SHARP_WORDS}(?:class|struct|record(?:\s+(?:class|struct))?)\s+(?<name>\w+)`),
    },
    { kind: 'type', line: new RegExp(String.raw`^\s*${SHARP_WORDS}(?:enum|delegate\s+\S+)\s+(?<name>\w+)`) },
    { kind: 'constant', line: /^\s*(?:(?:public|private|protected|internal)\s+)*const\s+\S+\s+(?<name>\w+)\s*=/ },
    {
      kind: 'function',
      block: true,
      line: new RegExp(
        String.raw`^\s+${SHARP_WORDS}(?:${NOT_A_NAME}[\w.]+(?:<[^()]*>)?\??(?:\[,*\])*\??\s+)?${NOT_A_NAME}(?<name>\w+)\s*(?:<[^>]*>)?\((?!.*=>\s*\{)`,
      ),
    },
    {
      kind: 'function',
      line: new RegExp(
        String.raw`^\s+${SHARP_WORDS}(?:\([^)]*\)|${NOT_A_NAME}[\w.]+(?:<[^()]*>)?\??(?:\[,*\])*)\s+${NOT_A_NAME}(?<name>\w+)\s*(?:\([^)]*\)\s*=>|\{\s*get\b)`,
      ),
    },
  ],
};

export const C: OutlineLanguage = {
  comments: 'c',
  rules: [
    { kind: 'module', line: /^\s*(?:inline\s+)?namespace\s+(?<name>[\w:]+)/ },
    {
      kind: 'class',
      line: /^\s*(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:class|struct|union)\s+(?:\[\[.*?\]\]\s*|[A-Z_]+\s+)?(?<name>\w+)(?:\s+final)?\s*(?::[^:;]*)?(?:\{.*)?$/,
    },
    { kind: 'type', line: /^\s*(?:typedef\s+)?enum\s+(?:class\s+|struct\s+)?(?<name>\w+)/ },
    { kind: 'type', line: /^\s*using\s+(?<name>\w+)\s*=/ },
    { kind: 'type', line: /^typedef\s.*\b(?<name>\w+)\s*;/ },
    { kind: 'constant', line: /^\s*#\s*define\s+(?<name>\w+)/ },
    {
      kind: 'function',
      block: true,
      line: new RegExp(
        String.raw`^\s*(?:${NOT_A_NAME}[\w:<>,*&~]+\s+)*[*&]*${NOT_A_NAME}(?<name>(?:\w+::)*(?:~?\w+|operator\s*\S+?))\s*\((?!.*\](?:\s*\(.*\))?\s*\{)`,
      ),
    },
  ],
};
