// What people do with an issue: mend it, see it for themselves, ask what is missing.
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Issue, Step } from '../../core/issue.ts';
import { richLine, richText, type TextLinks } from '../rich-text.ts';
import type { Html } from '../show.ts';
import { plural } from '../words.ts';

const MOST = 40;

export function solutionSection({ solutionSteps }: Issue, links: TextLinks): Html {
  return stepsSection({ id: 'solution', title: 'What to do', steps: solutionSteps }, links);
}

export function reproductionSection({ stepsToReproduce }: Issue, links: TextLinks): Html {
  return stepsSection({ id: 'reproduction', title: 'How to reproduce it', steps: stepsToReproduce }, links);
}

/** In one block as well, so that they can be pasted to whoever may know. */
export function questionsSection({ analysis }: Issue, links: TextLinks): Html {
  const questions = analysis.questions.slice(0, MOST);
  if (questions.length === 0) return html``;
  const text = questions.map((question) => `- ${inertLine(question, 1_000)}`).join('\n');
  return html`<section aria-labelledby="questions"><h2 id="questions">Questions</h2>
<ul>${questions.map((question) => html`<li>${richLine(question, links, 1_000)}</li>`)}</ul>
<p><button type="button" data-copy="questions-text" hidden>Copy the questions</button></p>
<pre id="questions-text" hidden>${text}</pre></section>`;
}

interface Steps {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly Step[];
}

function stepsSection({ id, title, steps }: Steps, links: TextLinks): Html {
  if (steps.length === 0) return html``;
  const more = steps.length - MOST;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<ol class="todo">${steps.slice(0, MOST).map(({ description }) => html`<li>${richText(description, links)}</li>`)}</ol>
${more > 0 ? html`<p class="hint">${plural(more, 'more step')} in the answer of the API.</p>` : ''}</section>`;
}
