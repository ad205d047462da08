// Terms as a file's text writes them: what a reason shows must stand there.
import { looksLikeCode } from '../identifiers.ts';
import { eachWord, hashesOfWord } from './terms.ts';
import { partOf, type TellingWord } from './words-signal.ts';

/** A term of the report in a file. */
export interface FoundForm {
  /** As the text has it; of a longer name only the part, in lower case. */
  readonly word: string;
  readonly asked: TellingWord;
  /** Whether the report writes it like that. */
  readonly isSame: boolean;
}

/** Those of the asked ones that stand in the text, in the order asked, each form once; the report's own way of writing goes before others. */
export function foundForms(text: string, asked: readonly TellingWord[]): readonly FoundForm[] {
  const byHash = new Map(asked.map((one) => [one.hash, one]));
  const found = new Map<TellingWord, FoundForm>();
  eachWord(text, (word) => {
    for (const hash of hashesOfWord(word)) {
      const one = byHash.get(hash);
      if (one === undefined || found.get(one)?.isSame) continue;
      const form = formOf(word, one);
      if (form.isSame || !found.has(one)) found.set(one, form);
    }
  });
  const forms = asked.flatMap((one) => found.get(one) ?? []);
  return [...new Map(forms.toReversed().map((form) => [form.word, form])).values()].reverse();
}

function formOf(word: string, asked: TellingWord): FoundForm {
  if (word === asked.word) return { word, asked, isSame: true };
  const hashes = hashesOfWord(word);
  // A single word, or a name as a whole, stands for itself; of other names it is the part that was asked for.
  if (hashes.length === 1 || hashes[0] === asked.hash) return { word, asked, isSame: sameBut(word, asked) };
  const part = partOf(word, asked.term);
  return { word: part, asked, isSame: sameBut(part, asked) };
}

/** A plain word may begin a sentence; a name is written in one way. */
function sameBut(word: string, { word: wanted }: TellingWord): boolean {
  const isName = looksLikeCode(word.slice(1)) || looksLikeCode(wanted.slice(1));
  return !isName && word.toLowerCase() === wanted.toLowerCase();
}
