// How much YAML a parser is given at all: parts and depth, counted by the lexer, which goes over the text once.
import { CST, Lexer } from 'yaml';
import type { YamlFault } from './read-yaml.ts';

const MAX_DEPTH = 20;
/** Every list of the file filled to its limit has 1,100. Keys are compared with each other, so that it is their square that costs. */
const MAX_PARTS = 1_400;

const LAYOUT = new Set<CST.TokenType | null>(['space', 'newline', 'comment', 'doc-mode', 'byte-order-mark', null]);

interface Measure {
  line: number;
  parts: number;
  /** Brackets that are open, over all lines. */
  open: number;
  /** Dashes and question marks of one line, each a level of its own. */
  inLine: number;
}

/** Null where the text is small enough to be parsed. */
export function boundsFault(text: string): YamlFault | null {
  const measure: Measure = { line: 1, parts: 0, open: 0, inLine: 0 };
  for (const token of new Lexer().lex(text)) {
    count(CST.tokenType(token), measure);
    if (measure.parts > MAX_PARTS) {
      return { line: measure.line, message: `It has more than ${MAX_PARTS} parts. Keep what Causeway needs.` };
    }
    if (measure.open > MAX_DEPTH || measure.inLine > MAX_DEPTH) {
      return { line: measure.line, message: `It is nested more than ${MAX_DEPTH} deep.` };
    }
    const ends = token.split('\n').length - 1;
    measure.line += ends;
    if (ends > 0) measure.inLine = 0;
  }
  return null;
}

function count(type: CST.TokenType | null, measure: Measure): void {
  if (!LAYOUT.has(type)) measure.parts += 1;
  switch (type) {
    case 'flow-map-start':
    case 'flow-seq-start':
      measure.open += 1;
      return;
    case 'flow-map-end':
    case 'flow-seq-end':
      measure.open = Math.max(0, measure.open - 1);
      return;
    case 'seq-item-ind':
    case 'explicit-key-ind':
      measure.inLine += 1;
  }
}
