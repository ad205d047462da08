// A model behind the wire that plays turn n where the request holds n turns of its own, so that a run that goes on gets the right one.
import { type AskedBehaviour, type AskedRequest, type Behaviour, delta, events } from './model-endpoint.ts';

interface PlayedCall {
  readonly name: string;
  /** An object, or the text as it is to stand on the wire. */
  readonly arguments: unknown;
}

interface PlayedTurn {
  readonly say?: string;
  readonly calls?: readonly PlayedCall[];
}

/** A turn, or what makes one from what was asked. */
export type Played = PlayedTurn | ((asked: AskedRequest) => PlayedTurn);

export function call(name: string, args: unknown): PlayedCall {
  return { name, arguments: args };
}

/** Number of turns that the request holds already. */
export function turnsIn({ body }: AskedRequest): number {
  return body.messages.filter(({ role }) => role === 'assistant').length;
}

/** Everything that the request tells the model, one message after the other. */
export function textsIn({ body }: AskedRequest): readonly string[] {
  return body.messages.map(({ content }) => (typeof content === 'string' ? content : ''));
}

/** The number of the step whose result holds `text`, as the model reads it in the answer to its own call. */
export function stepWith(asked: AskedRequest, text: string): number {
  const answers = asked.body.messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  const holding = answers.find((answer) => answer.includes(text));
  const number = /^\[step (\d+)\]/.exec(holding ?? '')?.[1];
  if (number === undefined) throw new Error(`no step holds ${text}:\n${answers.join('\n')}`);
  return Number(number);
}

/** What turn n costs: another figure for each, so that none can be taken for another. */
export function usageOfTurn(turn: number) {
  return {
    prompt_tokens: 2_000 + 101 * turn,
    completion_tokens: 40 + turn,
    prompt_tokens_details: { cached_tokens: 1_000 + 50 * turn },
  };
}

/** Plays `turns`; past their end it answers with a text that is no conclusion. */
export function plays(turns: readonly Played[]): AskedBehaviour {
  return (response, request, asked) => answer(turns, asked)(response, request);
}

function answer(turns: readonly Played[], asked: AskedRequest): Behaviour {
  const turn = turnsIn(asked);
  const played = turns[turn] ?? { say: 'I have nothing more to say.' };
  const { say = '', calls = [] } = typeof played === 'function' ? played(asked) : played;
  const parts = calls.map(({ name, arguments: args }, index) => ({
    index,
    id: `call_${turn}_${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
  const usage = { choices: [], usage: usageOfTurn(turn) };
  return events(
    delta({ role: 'assistant', content: say }),
    ...parts.map((part) => delta({ tool_calls: [part] })),
    delta({}, parts.length > 0 ? 'tool_calls' : 'stop'),
    usage,
    '[DONE]',
  );
}

/** What `conclude` is given, with what a test does not name left empty. */
export function conclusion(parts: Readonly<Record<string, unknown>> & { readonly outcome: string }): PlayedCall {
  return call('conclude', {
    problem: 'Guests cannot check out.',
    rootCause: [],
    stepsToReproduce: [],
    solutionSteps: [],
    questions: [],
    suspects: [],
    ruledOut: [],
    fixedBy: [],
    ...parts,
  });
}
