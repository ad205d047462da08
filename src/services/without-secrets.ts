// Nothing secret reaches a model, a transcript or a change: what tools find and what a model says is cleaned before anyone acts on it.
import { createGuard, type Guard, type GuardedChange } from '../agent/guard-change.ts';

import type { ChangeSet, FileChange } from '../core/change-set.ts';
import { toDiff } from '../core/diff/diff.ts';
import type { Model } from '../core/model.ts';
import type { Tool } from '../core/tool.ts';
import type { Redactor } from '../redact/redactor.ts';

const UNTOLD = 'the change cannot be told without the secret beside it';

export function redactedTool(tool: Tool, redactor: Redactor): Tool {
  return { ...tool, run: async (raw, signal) => redactor.redactJson(await tool.run(raw, signal)) };
}

/**
 * Cleaned before it is stored or acted on, so that a run that goes on acts on the same words. Opaque parts stay as they came: the provider
 * takes no others, and the model that made them saw cleaned text alone.
 */
export function redactedModel(model: Model, redactor: Redactor): Model {
  return {
    name: model.name,
    prices: model.prices,
    ask: async (request, signal) => {
      const turn = await model.ask(request, signal);
      const { content, toolCalls } = await redactor.redactJson({ content: turn.content, toolCalls: turn.toolCalls });
      return { ...turn, content, toolCalls };
    },
  };
}

/**
 * The change as it may be stored and told. The guards have withheld the hunks that touch a secret; what stands beside them in the same
 * file is replaced here, line for line. The diff must be the same before and after, or the file is blocked as well. What was blocked is
 * cleaned as a whole: words about it quote parts of it, and half a secret is one that no rule knows.
 */
export async function withoutSecrets(guarded: GuardedChange, redactor: Redactor): Promise<GuardedChange> {
  const { base } = guarded.allowed;
  const files: FileChange[] = [];
  const untold: { change: FileChange; guard: Guard }[] = [];
  for (const change of guarded.allowed.files) {
    const clean = await redactedFile(change, redactor);
    if (tells({ base, files: [clean] }) === tells({ base, files: [change] })) files.push(clean);
    else untold.push({ change: clean, guard: createGuard('never/secret', change.path, UNTOLD) });
  }
  const blocked: { change: FileChange; guard: Guard }[] = [];
  for (const { change, guard } of guarded.blocked)
    blocked.push({ change: await redactedFile(change, redactor), guard });
  return {
    allowed: { base, files },
    blocked: [...blocked, ...untold],
    guards: [...guarded.guards, ...untold.map(({ guard }) => guard)],
    verdict: untold.length > 0 ? 'blocked' : guarded.verdict,
  };
}

function tells(changeSet: ChangeSet): string {
  return JSON.stringify(toDiff(changeSet));
}

async function redactedFile(change: FileChange, redactor: Redactor): Promise<FileChange> {
  const before = 'before' in change ? await redactor.redactLines(change.before) : '';
  const after = 'after' in change ? await redactor.redactLines(change.after) : '';
  switch (change.kind) {
    case 'added':
      return { ...change, after };
    case 'deleted':
      return { ...change, before };
    case 'modified':
    case 'renamed':
      return { ...change, before, after };
  }
}
