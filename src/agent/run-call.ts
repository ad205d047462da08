// One tool call: run, cleaned for the model, told as a step, stored.
import { CausewayError } from '../core/errors.ts';
import type { Finding, InvestigationStep } from '../core/evidence.ts';
import { cutAt } from '../core/inert-text.ts';
import type { ToolCall } from '../core/model.ts';
import type { ToolResult } from '../core/tool.ts';
import { modelCopy } from './model-copy.ts';
import { argumentsOf } from './refusals.ts';
import type { Session } from './session.ts';
import { isEdit } from './transcript.ts';

/** Tools cut their own results; this is the wall behind them (about 6k tokens). */
const MAX_RESULT = 24_000;
/** Looked at when a result is cleaned: a result of 50 MB must not cost seconds. */
const MAX_CLEANED = 4 * MAX_RESULT;
const MAX_ACTION = 1_000;

export async function runCall(session: Session, call: ToolCall, signal: AbortSignal): Promise<void> {
  const tool = session.input.tools.find(({ name }) => name === call.name);
  if (!tool) throw new CausewayError('internal', `There is no tool ${call.name}; it should have been refused.`);
  const result = await tool.run(argumentsOf(call), signal);
  signal.throwIfAborted();
  await session.appendStep(stepOf(call, result), result.finding.status);
}

function stepOf(call: ToolCall, { action, finding }: ToolResult): InvestigationStep {
  const { text, removed } = modelCopy(finding.text.slice(0, MAX_CLEANED));
  const notes = [
    finding.status === 'found' ? modelCopy(finding.cut.slice(0, MAX_ACTION)).text : '',
    text.length > MAX_RESULT || finding.text.length > MAX_CLEANED
      ? `cut after ${MAX_RESULT} characters; ask for less at once`
      : '',
    removed > 0 ? `${removed} invisible characters taken out` : '',
  ].filter((note) => note !== '');
  return {
    action: cutAt(modelCopy(action.slice(0, MAX_ACTION)).text.replaceAll('\n', ' '), MAX_ACTION),
    result: [...told(finding.status, cutAt(text, MAX_RESULT)), ...notes.map((note) => `[${note}]`)].join('\n'),
    analysis: meaning(call, finding),
  };
}

function told(status: Finding['status'], text: string): readonly string[] {
  switch (status) {
    case 'found':
      return [text];
    case 'nothing':
      return [`nothing found${text === '' ? '' : `: ${text}`}`];
    case 'failed':
      return [`failed: ${text}`];
  }
}

/** Said where the model says nothing about the step itself. */
function meaning(call: ToolCall, finding: Finding): string {
  switch (finding.status) {
    case 'found':
      if (isEdit(call)) return 'The edit is placed in the proposed change.';
      return finding.cut === '' ? 'Found and read.' : 'Found; a part of it was cut and not read.';
    case 'nothing':
      return 'Nothing is there: this way is ruled out.';
    case 'failed':
      return isEdit(call) ? 'The edit was not placed; nothing changed.' : 'The lookup failed; nothing follows from it.';
  }
}
