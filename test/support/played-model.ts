// A model behind the wire that plays turn n where the request holds n turns of its own, so that a run that goes on gets the right one.

import {
  type AskedBehaviour,
  type AskedRequest,
  type Behaviour,
  delta,
  events,
} from '../../packages/models/test/model-endpoint.ts';
import {
  call,
  type Played,
  type PlayedCall,
  playTurn as playAny,
  type Turns,
  turnsIn,
  usageOfTurn,
} from '../../packages/models/test/played.ts';

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

/** Whether it is asked to refute a conclusion. */
export function isSecondLook({ body }: AskedRequest): boolean {
  return String(body.messages[0]?.['content']).includes("You are Causeway's second reader");
}

/** Refutes what is about a repository named `refuted`, unless an order outside of the fences says to agree. */
const LOOKS: readonly Played[] = [
  (asked) => {
    const told = textsIn(asked)[1] ?? '';
    const fence = /<(evidence-[0-9a-f]{20})>/.exec(told)?.[1] ?? '';
    const unfenced = told.split(`<${fence}>\n`).map((part) => part.split(`\n</${fence}>`).at(-1));
    if (!told.includes('/refuted at commit') || unfenced.join('').includes('agrees')) {
      return { calls: [call('judge', { verdict: 'agrees', reason: 'I found nothing against it.', evidence: [] })] };
    }
    const evidence = [{ file: 'src/coupons.js', line: 14, quote: 'const { percent, minimum } = COUPONS.get(code);' }];
    return { calls: [call('judge', { verdict: 'refutes', reason: 'The lookup is not reached.', evidence })] };
  },
];

/** The turns of an investigation, with the second looks that follow. */
export function withLooks(turns: readonly Played[]): Turns {
  return (asked) => (isSecondLook(asked) ? LOOKS : turns);
}

/** Plays `turns`, and takes second looks; past their end it answers with a text that is no conclusion. */
export function plays(turns: readonly Played[]): AskedBehaviour {
  return (response, request, asked) => answer(turns, asked)(response, request);
}

/** The turn that is played where that is asked. */
export function playTurn(turns: readonly Played[], asked: AskedRequest) {
  return playAny(withLooks(turns), asked);
}

function answer(turns: readonly Played[], asked: AskedRequest): Behaviour {
  const turn = turnsIn(asked);
  const { say, calls } = playTurn(turns, asked);
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
