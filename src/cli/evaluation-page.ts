// `eval --html`: the evaluation as one page without scripts, images or other files.

import { removeInvisible, truncate } from 'causeway-visible-text';
import { describeOutcome, formatDollars } from '../core/issue/index.ts';
import {
  describeCases,
  describeLeak,
  describeScore,
  type EvaluatedCase,
  type Evaluation,
  type FigureRow,
  INTERVALS,
  LIMITS,
  listFigures,
  nameModel,
  type StoredAnswer,
} from '../evaluation/index.ts';

const CSS = `
:root { color-scheme: light dark; --line: #c9ced6; --soft: #5b6470; --head: #f1f3f6; }
@media (prefers-color-scheme: dark) { :root { --line: #454c57; --soft: #a8b0bc; --head: #23272e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 70rem; font: 1rem/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
h1 { font-size: 1.4rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
.soft, dt { color: var(--soft); }
.wide { overflow-x: auto; }
.wide:focus-visible { outline: 2px solid; outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
thead th { background: var(--head); } tbody th { font-weight: 600; min-width: 8rem; } td { min-width: 6rem; }
code { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere; }
article { border-top: 1px solid var(--line); margin-top: 1rem; }
dl { margin: .25rem 0; } dd { margin: 0 0 .5rem; overflow-wrap: anywhere; } ul { padding-left: 1.2rem; }
@media print { .wide { overflow: visible; } }
`.trim();

/** A whole document. Every text from outside is escaped; nothing is loaded. */
export function renderEvaluationPage(evaluation: Evaluation): string {
  const { repository, models, cases, missing, spentUsd, budgetUsd, finishedAt, version } = evaluation;
  const leaking = cases.filter(({ leaks }) => leaks.length > 0);
  const clean = cases.filter(({ leaks }) => leaks.length === 0);
  const spent = `Spent ${formatDollars(spentUsd)} of ${formatDollars(budgetUsd)}.`;
  const notes = [
    ...describeCases(evaluation),
    ...(models.some((model) => model !== 'none') ? [spent] : []),
    ...(missing.length === 0 ? [] : [`${missing.length} answers are missing.`]),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evaluation of ${escapeFigureText(repository)}</title>
<style>
${CSS}
</style>
</head>
<body>
<main>
<h1>Evaluation of ${escapeFigureText(repository)}</h1>
<p>${notes.map(escapeFigureText).join(' ')}</p>
<p><strong>${escapeFigureText(LIMITS)}</strong></p>
<h2>Figures</h2>
${renderFigureTable('All cases', models, listFigures(models, cases))}
${
  leaking.length === 0
    ? ''
    : `<h2>Without reports that give the fix away</h2>
<p>In ${leaking.length} of the ${cases.length} cases the answer could be known without an investigation:</p>
<ul>
${leaking.map(({ name, leaks }) => `<li>${escapeFigureText(`${name}: ${leaks.map(describeLeak).join(', ')}`)}</li>`).join('\n')}
</ul>
${renderFigureTable(`The other ${clean.length}`, models, listFigures(models, clean, false))}`
}
<p class="soft">${escapeFigureText(INTERVALS)}</p>
<h2>Cases</h2>
${cases.map((one) => renderCase(one, models)).join('\n')}
<p class="soft">Causeway ${escapeFigureText(version)}, ${escapeFigureText(finishedAt.slice(0, 16).replace('T', ' '))} UTC</p>
</main>
</body>
</html>
`;
}

function renderFigureTable(caption: string, models: readonly string[], rows: readonly FigureRow[]): string {
  const head = models.map((model) => `<th scope="col">${escapeFigureText(nameModel(model))}</th>`).join('');
  const body = rows.map(
    ({ label, cells }) =>
      `<tr><th scope="row">${escapeFigureText(label)}</th>${cells.map((cell) => `<td>${escapeFigureText(cell)}</td>`).join('')}</tr>`,
  );
  return `<div class="wide" role="region" aria-label="${escapeFigureText(caption)}" tabindex="0">
<table>
<caption>${escapeFigureText(caption)}</caption>
<thead><tr><th scope="col">figure</th>${head}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table>
</div>`;
}

const MAX_CAUSE = 1_500;

function renderCase(
  { name, title, base, fix, truth, leaks, answers }: EvaluatedCase,
  models: readonly string[],
): string {
  const leak =
    leaks.length === 0
      ? ''
      : `<dt>Gives the fix away</dt><dd>${escapeFigureText(leaks.map(describeLeak).join(', '))}</dd>`;
  return `<article>
<h3>${escapeFigureText(`${name} ${title}`)}</h3>
<dl>
<dt>The project's fix</dt><dd><code>${fix.slice(0, 12)}</code> after <code>${base.slice(0, 12)}</code>: ${renderPaths(truth.map(({ path }) => path))}</dd>
${leak}
${models.map((model) => renderAnswer(model, answers[model])).join('\n')}
</dl>
</article>`;
}

function renderAnswer(model: string, answer: StoredAnswer | undefined): string {
  const term = `<dt>${escapeFigureText(nameModel(model))}</dt>`;
  if (answer === undefined) return `${term}<dd>no answer</dd>`;
  const line = `${describeOutcome(answer.outcome)}; ${describeScore(answer)}`;
  const cause = truncate(answer.rootCause, MAX_CAUSE);
  return `${term}<dd>${escapeFigureText(line)}: ${renderPaths(answer.files.slice(0, 5))}<br>${escapeFigureText(cause)}</dd>`;
}

function renderPaths(paths: readonly string[]): string {
  return paths.map((path) => `<code>${escapeFigureText(path)}</code>`).join(', ');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeFigureText(text: string): string {
  return removeInvisible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
