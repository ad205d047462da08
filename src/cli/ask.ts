// The three questions of `init`, at a terminal. An empty answer takes the default.
import { untilAborted } from '../core/abortable.ts';
import { CausewayError } from '../core/errors.ts';
import { ACTION_MODES, type InitCommand, SECRET_NAME } from './command-line.ts';
import type { Io } from './terminal.ts';

interface Choice extends Pick<InitCommand, 'mode' | 'model'> {
  readonly key: string;
}

/** As the provider calls its variable. */
export function guessKey(model: string): string {
  return /claude/i.test(model) ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY';
}

/** Throws `usage` where the input ends before the last answer. */
export async function askForAction(io: Io, defaults: Pick<InitCommand, 'mode'>, signal: AbortSignal): Promise<Choice> {
  const lines = readInputLines(io.stdin);
  const ask = async <T>(question: string, read: (answer: string) => T | null): Promise<T> => {
    for (;;) {
      io.err(`${question} `);
      const { value, done } = await untilAborted(lines.next(), signal);
      if (done === true)
        throw new CausewayError('usage', 'The input ended before the last answer: nothing was written.');
      const answer = read(value.trim());
      if (answer !== null) return answer;
      io.err("  That isn't one of the answers.\n");
    }
  };
  try {
    const mode = await ask(
      `What may it do? observe (writes nothing), comment (no pull requests) or fix [${defaults.mode}]:`,
      (answer) => ACTION_MODES.find((known) => known === (answer.toLowerCase() || defaults.mode)) ?? null,
    );
    const model = await ask(
      'Which model, such as gpt-5.6-terra or claude-opus-5-5? [none: a search of the source]:',
      (answer) => (/^[\w.:/@-]{0,200}$/.test(answer) ? answer : null),
    );
    const usual = guessKey(model);
    const key =
      model === ''
        ? usual
        : await ask(`Which secret of the repository holds its key? [${usual}]:`, (answer) =>
            SECRET_NAME.test(answer || usual) ? answer || usual : null,
          );
    return { mode, model, key };
  } finally {
    // Else the terminal would keep the process alive.
    void lines.return(undefined);
  }
}

async function* readInputLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of input) {
    text += decoder.decode(part, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    yield* lines;
  }
  if (text !== '') yield text;
  return undefined;
}
