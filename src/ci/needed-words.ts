// Words of which a text must have one for an expression to fit it, read off the expression.

/** Shorter words stand in most lines. */
const SHORTEST = 3;
const LONGEST = 40;
const GROUP = /\((?:\?(?:<?[=!]|:|<\w+>))?/y;
const QUANTIFIER = /[?*+]\??|\{(\d+)(?:,\d*)?\}\??/y;
const CLASS = /\[(?:\\.|[^\]\\])*\]/y;
const ESCAPE = /\\(?:u([\dA-Fa-f]{4})|u\{[^}]*\}|x[\dA-Fa-f]{2}|[pP]\{[^}]*\}|k<\w+>|(.))/y;

/**
 * One of them stands in every text that the expression fits, in whatever case where it ignores case. None: nothing is known. What may be
 * left out says nothing, nor do looks ahead and behind.
 */
export function neededWords({ source }: RegExp): readonly string[] {
  return new Reader(source).alternatives();
}

/** What must stand for a part of an expression: a sign, "" for none that is known, or one of some words. */
interface Part {
  readonly sign: string;
  readonly words: readonly string[];
}

const UNKNOWN: Part = { sign: '', words: [] };

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(): readonly string[] {
    const all = [this.#sequence()];
    while (this.#match(/\|/y)) all.push(this.#sequence());
    return all.some((words) => words.length === 0) ? [] : all.flat();
  }

  /** What tells most of all that must follow one another. */
  #sequence(): readonly string[] {
    let best: readonly string[] = [];
    let row = '';
    while (!this.#isAtEnd) {
      const { sign, words } = this.#part();
      const { least, isOnce } = this.#times();
      if (least > 0) best = moreTelling(best, words);
      row += sign.repeat(least);
      if (sign !== '' && isOnce) continue;
      best = moreTelling(best, [row]);
      // A sign that may be repeated stands beside what follows as well.
      row = least > 0 ? sign : '';
    }
    return moreTelling(best, [row]);
  }

  get #isAtEnd(): boolean {
    return this.#at === this.#source.length || '|)'.includes(this.#source[this.#at] ?? '');
  }

  #part(): Part {
    const group = this.#match(GROUP)?.[0];
    if (group !== undefined) {
      const words = this.alternatives();
      this.#at += 1;
      return /[=!]$/.test(group) ? UNKNOWN : { sign: '', words };
    }
    if (this.#match(CLASS)) return UNKNOWN;
    const sequence = this.#match(ESCAPE);
    if (sequence) return escaped(sequence);
    const sign = this.#source[this.#at] ?? '';
    this.#at += 1;
    return '^$.'.includes(sign) ? UNKNOWN : { sign, words: [] };
  }

  #times(): { readonly least: number; readonly isOnce: boolean } {
    const found = this.#match(QUANTIFIER);
    if (!found) return { least: 1, isOnce: true };
    const [text, count = text.startsWith('+') ? 1 : 0] = found;
    return { least: Math.min(Number(count), LONGEST), isOnce: false };
  }

  #match(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at;
    const found = form.exec(this.#source);
    if (found) this.#at += found[0].length;
    return found;
  }
}

function escaped([, code, sign = '']: RegExpExecArray): Part {
  if (code !== undefined) return { sign: String.fromCharCode(Number.parseInt(code, 16)), words: [] };
  if (sign === 't') return { sign: '\t', words: [] };
  return /^$|[\dA-Za-z]/.test(sign) ? UNKNOWN : { sign, words: [] };
}

/** The longer their shortest word and the fewer the words, the less text has any of them; length beyond four characters breaks a tie. */
function moreTelling(a: readonly string[], b: readonly string[]): readonly string[] {
  return worth(b) > worth(a) ? b : a;
}

function worth(words: readonly string[]): number {
  const shortest = Math.min(...words.map((word) => word.length));
  return words.length === 0 || shortest < SHORTEST ? -1 : 10 ** Math.min(4, shortest) / words.length + shortest / 1_000;
}
