// Definitions in the scripting languages: TypeScript and JavaScript, Python, Ruby, PHP.
import { NOT_A_NAME, type OutlineLanguage } from './outline-rule.ts';

export const SCRIPT: OutlineLanguage = {
  comments: 'c',
  rules: [
    {
      kind: 'class',
      line: /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?class\s+(?<name>(?!extends\b)[\w$]+)/,
    },
    { kind: 'interface', line: /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?interface\s+(?<name>[\w$]+)/ },
    { kind: 'type', line: /^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+(?<name>[\w$]+)/ },
    { kind: 'type', line: /^\s*(?:export\s+)?(?:declare\s+)?type\s+(?<name>[\w$]+)\s*(?:<.*)?=/ },
    {
      kind: 'module',
      line: /^\s*(?:export\s+)?(?:declare\s+)?(?:namespace|module)\s+(?<name>[\w$.]+|'[^']+'|"[^"]+")\s*\{/,
    },
    {
      kind: 'function',
      line: /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\s*\*?\s*(?<name>[\w$]+)\s*[(<]/,
    },
    {
      kind: 'function',
      // Not where it is indented: inside of a function it would take the name of what follows it.
      line: /^(?:export\s+)?(?:const|let|var)\s+(?<name>[\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]*)?=>|[\w$]+\s*=>|<[^>]+>\s*\(|\((?:[^()]|\([^()]*\))*$)/,
    },
    { kind: 'function', line: /^\s*(?:module\.)?exports\.(?<name>[\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\()/ },
    { kind: 'function', line: /^\s*[\w$.]+\.(?:prototype\.)?(?<name>[\w$]+)\s*=\s*(?:async\s+)?function\b/ },
    { kind: 'constant', line: /^(?:export\s+)?(?:declare\s+)?(?:const|let|var)\s+(?<name>[\w$]+)\s*[:=]/ },
    {
      kind: 'function',
      block: true,
      line: new RegExp(
        String.raw`^\s+(?:(?:public|private|protected|static|override|abstract|readonly|async|get|set|accessor)\s+)*\*?\s*${NOT_A_NAME}(?<name>#?[\w$]+)\s*(?:<[^>]*>)?\(`,
      ),
    },
    {
      kind: 'function',
      line: /^\s+(?:(?:public|private|protected|static|readonly)\s+)*(?<name>#?[\w$]+)\s*[=:]\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]*)?=>\s*\{)/,
    },
  ],
};

export const PYTHON: OutlineLanguage = {
  comments: 'hash',
  longText: /"""|'''/g,
  rules: [
    { kind: 'class', line: /^\s*class\s+(?<name>\w+)/ },
    { kind: 'function', line: /^\s*(?:async\s+)?def\s+(?<name>\w+)/ },
    { kind: 'constant', line: /^(?<name>[A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=(?!=)/ },
  ],
};

export const RUBY: OutlineLanguage = {
  comments: 'hash',
  longText: /^=(?:begin|end)\b/g,
  rules: [
    { kind: 'class', line: /^\s*class\s+(?<name>[A-Z][\w:]*)/ },
    { kind: 'module', line: /^\s*module\s+(?<name>[A-Z][\w:]*)/ },
    {
      kind: 'function',
      line: /^\s*(?:(?:private|protected|public|private_class_method|module_function)\s+)?def\s+(?:self\.)?(?<name>[\w]+[?!=]?|[-+*/%<>=!~^&|[\]]+)/,
    },
    { kind: 'function', line: /^\s*define_method[( ]\s*:(?<name>\w+[?!]?)/ },
    { kind: 'constant', line: /^\s*(?<name>[A-Z][A-Z0-9_]+)\s*=(?![=~>])/ },
  ],
};

const PHP_WORDS = String.raw`(?:(?:public|private|protected|static|final|abstract|readonly)\s+)*`;

export const PHP: OutlineLanguage = {
  comments: 'php',
  rules: [
    { kind: 'module', line: /^\s*namespace\s+(?<name>[\w\\]+)/ },
    { kind: 'class', line: new RegExp(String.raw`^\s*${PHP_WORDS}(?:class|trait|enum)\s+(?<name>\w+)`) },
    { kind: 'interface', line: /^\s*interface\s+(?<name>\w+)/ },
    { kind: 'function', line: new RegExp(String.raw`^\s*${PHP_WORDS}function\s+&?\s*(?<name>\w+)\s*\(`) },
    { kind: 'constant', line: new RegExp(String.raw`^\s*${PHP_WORDS}const\s+(?:\w+\s+)?(?<name>[A-Z]\w*)\s*=`) },
  ],
};
