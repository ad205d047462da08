// The table at the end, in Markdown, to be pasted into an issue: names of operations, headers and fields, and no value of any of them
// but of a few headers.
import type { Difference, PlayedStep, StepEnd } from './compare.ts';
import type { Actor } from './record.ts';

export interface TriedFacts {
  readonly version: string;
  readonly on: 'github.com' | 'GitHub Enterprise Server' | 'the double';
  readonly day: string;
  /** Null: the shipped script played the model. */
  readonly model: string | null;
  readonly costUsd: number | null;
  readonly steps: readonly PlayedStep[];
  readonly differences: readonly Difference[];
  readonly left: readonly string[];
}

export function renderTable(facts: TriedFacts): string {
  const { version, on, day, model, costUsd, steps, left } = facts;
  const [nulls, differences] = [
    facts.differences.filter(isOfMoment),
    facts.differences.filter((one) => !isOfMoment(one)),
  ];
  const money = costUsd === null ? 'at a price that Causeway does not know' : `$${costUsd.toFixed(2)}`;
  return [
    `Causeway ${version} on ${on}, ${day}. ${
      model === null ? 'A script that ships with Causeway played the model.' : `Model: ${inCell(model)}, ${money}.`
    }`,
    ['| step | what came of it | what GitHub answered | events | differences |', '|---|---|---|---|---|']
      .concat(
        steps.map((step) =>
          renderStep(
            step,
            differences.filter((one) => one.step === step.name),
          ),
        ),
      )
      .join('\n'),
    renderDifferences(steps, differences),
    ...(nulls.length === 0 ? [] : [renderNulls(nulls)]),
    [
      'Compared with the GitHub double of this repository: status, headers and the types of fields of each answer, the events that came and the order in',
      'which each came first. How often something is asked is not compared, and git over HTTP is not recorded.',
    ].join('\n'),
    ...(left.length === 0 ? [] : [`Left in the sandbox:\n\n${left.map((one) => `- ${one}`).join('\n')}`]),
  ].join('\n\n');
}

/** It is shown, and is no difference. */
export function isOfMoment(one: Difference): one is Extract<Difference, { readonly kind: 'null' }> {
  return one.kind === 'null';
}

function renderNulls(nulls: readonly Extract<Difference, { readonly kind: 'null' }>[]): string {
  const lines = nulls.map(
    (one) => `- ${answer(one)}: \`${one.field}\`, null ${one.where === 'double' ? 'on the double' : 'here'}`,
  );
  const summary = `${counted(nulls.length, 'field')} null on one side alone, as GitHub's description allows`;
  return `<details><summary>${summary}</summary>\n\n${lines.join('\n')}\n\n</details>`;
}

function renderStep(step: PlayedStep, differences: readonly Difference[]): string {
  const events = [...new Set(step.events)].map((event) => `\`${event}\``).join(', ');
  const cells = [step.name, renderEnd(step.end), countStatuses(step), events, String(differences.length)];
  return `| ${cells.map(inCell).join(' | ')} |`;
}

function renderEnd(end: StepEnd): string {
  if (end.kind === 'not_played') return 'not played';
  return end.kind === 'failed' ? `**failed**: ${end.why}` : end.what;
}

/** Such as `12 × 200, 1 × 404`. */
function countStatuses({ answers }: PlayedStep): string {
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  const sorted = [...counts].toSorted(([one], [other]) => one - other);
  return sorted.map(([status, count]) => `${count} × ${status}`).join(', ');
}

function renderDifferences(steps: readonly PlayedStep[], differences: readonly Difference[]): string {
  if (differences.length === 0) {
    const isWhole = steps.every(({ end }) => end.kind === 'reached');
    return isWhole ? 'No difference.' : 'No difference as far as it was played.';
  }
  const rows = differences.map((one) => {
    const { where, what } = renderDifference(one);
    return `| ${[one.step, where, what].map(inCell).join(' | ')} |`;
  });
  return [
    `${counted(differences.length, 'difference')}:\n`,
    '| step | where | GitHub, and the double |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

function renderDifference(one: Difference): { readonly where: string; readonly what: string } {
  switch (one.kind) {
    case 'status':
      return { where: operation(one), what: `status ${one.actual}; the double: ${one.expected.join(', ')}` };
    case 'asked':
      return {
        where: operation(one),
        what: one.where === 'github' ? `asked here (${one.status}), not on the double` : 'not asked here',
      };
    case 'header_missing':
      return { where: answer(one), what: `without header \`${one.header}\`` };
    case 'header_added':
      return { where: answer(one), what: `header \`${one.header}\`, which the double does not send` };
    case 'header_value':
      return {
        where: answer(one),
        what: `\`${one.header}: ${one.actual}\`; the double: \`${one.expected.join('`, `')}\``,
      };
    case 'field_missing':
      return { where: answer(one), what: `without \`${one.field}\`` };
    case 'field_added':
      return { where: answer(one), what: `\`${one.field}\`, which the double does not have` };
    case 'field_type':
      return {
        where: answer(one),
        what: `\`${one.field}\` is ${one.actual.join(' or ')}; the double: ${one.expected.join(' or ')}`,
      };
    case 'null':
      return {
        where: answer(one),
        what: `\`${one.field}\`, null ${one.where === 'double' ? 'on the double' : 'here'}`,
      };
    case 'event_missing':
      return { where: `event \`${one.event}\``, what: 'did not come' };
    case 'event_added':
      return { where: `event \`${one.event}\``, what: 'came, and does not from the double' };
    case 'event_order':
      return { where: `event \`${one.event}\``, what: `came before \`${one.before}\`; from the double after it` };
  }
}

function operation({ by, operation: name }: { readonly by: Actor; readonly operation: string }): string {
  return `${by}: \`${name}\``;
}

function answer(one: { readonly by: Actor; readonly operation: string; readonly status: number }): string {
  return `${operation(one)} ${one.status}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function inCell(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|').replaceAll('<', '\\<');
}
