// Making a token: asked for on a form, shown once in the answer to it, and never again.
import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import { hashToken, newToken, type TokenRecord } from '../../core/account.ts';
import type { Project } from '../../core/project.ts';
import type { ExampleReport } from '../../core/report.ts';

import { registerSecret } from '../../log.ts';
import { knownProjects } from '../../services/access.ts';
import { missingNotice } from '../missing-projects.ts';
import { type Form, readForm } from '../read-form.ts';
import { WebRefusal } from '../refusal.ts';
import { show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { onceOf } from './form-once.ts';
import { tokenForm } from './token-form.ts';
import { NO_PROJECT, tokenMade } from './token-made.ts';
import { FIRST_WISH, readWish, recordOf, type TokenWish, type WishFaults } from './token-wish.ts';

const AGAIN =
  'This form was sent before, and made no second token. The first one stands under Security credentials; where you have not copied it, revoke it and create another.';

/** Afterwards nobody but its holder has it, who may hand it in as a part of a report; that is what redaction by its form is for. */
const REGISTERED_MS = 60 * 60_000;

/** GET /account/tokens/new */
export function getTokenForm(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const known = await knownProjects(deps, c.get('asking'));
    return formPage(c, deps, { ...known, wish: FIRST_WISH, faults: {}, sent: null });
  };
}

/** POST /account/tokens: answers with the token itself, not with a redirect, since it must stand in no address and nowhere else. */
export function postToken(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const sent = await readForm(c);
    const known = await knownProjects(deps, c.get('asking'));
    const { projects } = known;
    const { wish, faults } = readWish(sent, projects);
    if (Object.keys(faults).length > 0) return formPage(c, deps, { ...known, wish, faults, sent });
    const once = onceOf(c, deps, sent);
    const record = recordOf(wish, c.get('signedIn').account.id, deps.now());
    const value = newToken();
    registerSecret(value, REGISTERED_MS);
    if ((await deps.store.addToken(record, hashToken(value), { once })) === 'repeated')
      throw new WebRefusal(409, AGAIN);
    const body = tokenMade({ record, value, baseUrl: deps.baseUrl(), example: exampleFor(record, projects, deps) });
    return show(c, deps, { title: 'Your new token', section: 'credentials', crumbs: crumbs('Your new token'), body });
  };
}

/** About the project that ships with its own report, where the token may see it; else about one of the person's, in words of theirs. */
function exampleFor({ projectIds }: TokenRecord, projects: readonly Project[], { example }: WebDeps): ExampleReport {
  const ids = projectIds ?? projects.map(({ id }) => id);
  if (example !== null && ids.includes(example.projectId)) return example;
  return { projectId: ids[0] ?? NO_PROJECT, data: 'PASTE AN ERROR MESSAGE OR A LOG HERE' };
}

interface FormState {
  readonly projects: readonly Project[];
  readonly isWhole: boolean;
  readonly wish: TokenWish;
  readonly faults: WishFaults;
  readonly sent: Form | null;
}

function formPage(c: Context<WebEnv>, deps: WebDeps, state: FormState): Promise<Response> {
  const form = tokenForm({ ...state, signedIn: c.get('signedIn'), now: deps.now() });
  const body = html`${missingNotice(state.isWhole)}${form}`;
  const hasFaults = Object.keys(state.faults).length > 0;
  return show(c, deps, {
    title: `${hasFaults ? 'Not yet: ' : ''}Create new auth token`,
    ...{ section: 'credentials', crumbs: crumbs('Create new auth token'), status: hasFaults ? 422 : 200, body },
  });
}

function crumbs(text: string) {
  return [
    { text: 'Security credentials', href: '/account/security-credentials' },
    { text, href: '' },
  ];
}
