// What guards the change: why it is not published, what was left out of it, and what a person must look at.
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Analysis, Issue } from '../../core/issue.ts';
import { richLine, type TextLinks } from '../rich-text.ts';
import type { Html } from '../show.ts';
import { plural } from '../words.ts';

type Guard = Analysis['guards'][number];

const MOST = 40;
/** By the second part of their names. */
const RULES: ReadonlyMap<string, string> = new Map([
  ['path', 'Path that is not safe'],
  ['link', 'Symbolic link or submodule'],
  ['twin', 'Name that is another file elsewhere'],
  ['content', 'Content that is no text'],
  ['size', 'Size of the change'],
  ['repository-settings', 'Settings of the repository'],
  ['code-owners', 'Code owners'],
  ['agent-instructions', 'Instructions for agents'],
  ['git-configuration', 'Configuration of git'],
  ['ci-configuration', 'Configuration of CI'],
  ['secret', 'Secret'],
  ['left-out', 'Kept away by the configuration'],
  ['manifest', 'Dependencies'],
  ['lock-file', 'Lock file'],
  ['build-set-up', 'Set-up of the build'],
  ['package-source', 'Where packages come from'],
  ['hooks', 'Hooks that run by themselves'],
  ['tests-deleted', 'Deleted tests'],
  ['tests-skipped', 'Skipped tests'],
  ['tests-loosened', 'Loosened tests'],
  ['hidden-text', 'Text that cannot be seen'],
  ['large', 'Large change'],
  ['does-not-parse', 'Code that does not parse'],
]);

/** Those that keep it from being published stand apart from those that only want to be looked at. */
export function guardsSection({ analysis }: Issue, links: TextLinks): Html {
  const told = (isNever: boolean) => analysis.guards.filter(({ rule }) => rule.startsWith('never/') === isNever);
  return html`${guardList({ id: 'why-not', title: 'Why not a pull request', guards: told(true) }, links)}${guardList(
    { id: 'look-at', title: 'Look at this before you apply it', guards: told(false) },
    links,
  )}`;
}

interface GuardList {
  readonly id: string;
  readonly title: string;
  readonly guards: readonly Guard[];
}

function guardList({ id, title, guards }: GuardList, links: TextLinks): Html {
  if (guards.length === 0) return html``;
  const more = guards.length - MOST;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<table class="cards"><caption class="hidden">${title}</caption>
<thead><tr><th scope="col">File</th><th scope="col">What</th><th scope="col">Reason</th></tr></thead>
<tbody>${guards.slice(0, MOST).map((guard) => guardRow(guard, links))}</tbody></table>
${more > 0 ? html`<p class="hint">${plural(more, 'more reason')} in the answer of the API.</p>` : ''}</section>`;
}

function guardRow({ rule, file, reason }: Guard, links: TextLinks): Html {
  return html`<tr><th scope="row">${file === '' ? 'the change as a whole' : html`<code>${inertLine(file, 400)}</code>`}</th>
<td data-label="What">${ruleWords(rule)}</td><td data-label="Reason">${richLine(reason, links)}</td></tr>`;
}

/** A rule of another time is said by its own name. */
function ruleWords(rule: string): string {
  const name = rule.replace(/^[a-z]+\//, '');
  return RULES.get(name) ?? inertLine(name.replaceAll('-', ' '), 80);
}
