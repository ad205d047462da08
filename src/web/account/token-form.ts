// The form for a new token: its name, what it may do, in which projects, for how long.
import { html } from 'hono/html';
import { SCOPES, type Scope } from '../../core/account.ts';
import { inertLine } from '../../core/inert-text.ts';
import type { Project } from '../../core/project.ts';
import { formTokenField } from '../form-token.ts';
import type { Form } from '../read-form.ts';
import type { Html } from '../show.ts';
import type { SignedIn } from '../web-deps.ts';
import { onceField } from './form-once.ts';
import {
  EXPIRIES,
  expiresAt,
  LONGEST_NAME,
  MOST_BOXES,
  type TokenWish,
  type WishFaults,
  type WishField,
} from './token-wish.ts';

interface FormParts {
  readonly signedIn: SignedIn;
  /** Those that the person sees. */
  readonly projects: readonly Project[];
  readonly wish: TokenWish;
  readonly faults: WishFaults;
  /** As it was sent, where it is shown again. */
  readonly sent: Form | null;
  readonly now: Date;
}

const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  'issues:read': 'Read issues, investigations and their progress.',
  'issues:write': 'Hand in reports, stop investigations, and delete issues.',
  'projects:read': 'List your projects.',
  'pull-requests:write': 'Open a pull request from an issue, where you have write in the repository.',
};

const FIELD_WORDS: Readonly<Record<WishField, string>> = {
  name: 'Name',
  scope: 'What it may do',
  projects: 'Projects',
  expiry: 'Expiry',
};

export function tokenForm(parts: FormParts): Html {
  const { signedIn, wish, faults, sent } = parts;
  return html`<h1>Create new auth token</h1>
<p class="lead">A token lets a program call the API in your name. It can do no more than you can, and what it may see follows your role in each repository.</p>
${summary(faults)}
<form method="post" action="/account/tokens" autocomplete="off">${formTokenField(signedIn)}${onceField(sent)}
<div class="field"><label for="name">Name</label><p class="hint" id="name-hint">What will use it, so that you know later what breaks when you revoke it.</p>
${fault(faults, 'name')}
<input id="name" name="name" value="${wish.name}" required maxlength="${LONGEST_NAME}"${marks(faults, 'name', 'name-hint')}></div>
<fieldset class="field" id="scope" tabindex="-1"${marks(faults, 'scope')}><legend>What it may do</legend>${fault(faults, 'scope')}
${SCOPES.map((scope) => scopeBox(scope, wish))}</fieldset>
${projectsField(parts)}
${expiryField(parts)}
<p class="actions"><button class="primary">Create token</button> <a href="/account/security-credentials">Cancel</a></p></form>`;
}

/** Says above the form what is wrong in it, since a field may be out of sight. */
function summary(faults: WishFaults): Html {
  const fields = (['name', 'scope', 'projects', 'expiry'] as const).filter((field) => faults[field] !== undefined);
  if (fields.length === 0) return html``;
  return html`<div class="notice bad" role="alert"><p>No token was made yet:</p><ul>${fields.map(
    (field) => html`<li><a href="#${field}">${FIELD_WORDS[field]}</a>: ${faults[field]}</li>`,
  )}</ul></div>`;
}

function fault(faults: WishFaults, field: WishField): Html {
  return faults[field] === undefined ? html`` : html`<p class="fault" id="${field}-fault">${faults[field]}</p>`;
}

/** `hint`: id of what describes the field in any case; "" where nothing does. Only a single field can be invalid by itself. */
function marks(faults: WishFaults, field: WishField, hint = ''): Html {
  const isFaulty = faults[field] !== undefined;
  const describedBy = [hint, isFaulty ? `${field}-fault` : ''].filter((id) => id !== '').join(' ');
  const isSingle = field === 'name' || field === 'expiry';
  return html`${isFaulty && isSingle ? html` aria-invalid="true"` : ''}${describedBy === '' ? '' : html` aria-describedby="${describedBy}"`}`;
}

function scopeBox(scope: Scope, { scopes }: TokenWish): Html {
  const id = `scope-${scope.replace(':', '-')}`;
  return html`<div class="choice"><input type="checkbox" id="${id}" name="scope" value="${scope}"${checked(scopes.includes(scope))}>
<label for="${id}"><code>${scope}</code> ${SCOPE_WORDS[scope]}</label></div>`;
}

function projectsField({ projects, wish, faults }: FormParts): Html {
  return html`<fieldset class="field" id="projects" tabindex="-1"${marks(faults, 'projects')}><legend>Projects</legend>${fault(faults, 'projects')}
<div class="choice"><input type="radio" id="bound-all" name="bound" value="all"${checked(wish.bound === 'all')}>
<label for="bound-all">All of yours, those of later too</label></div>
${
  projects.length === 0
    ? html`<p class="hint">You see no project now.</p>`
    : html`<div class="choice"><input type="radio" id="bound-chosen" name="bound" value="chosen"${checked(wish.bound === 'chosen')}>
<label for="bound-chosen">Only these:</label></div>${projects.length > MOST_BOXES ? namesField(wish) : boxes(projects, wish)}`
}</fieldset>`;
}

function boxes(projects: readonly Project[], { projectIds }: TokenWish): Html {
  return html`<div class="choices">${projects.map(
    ({
      id,
      name,
    }) => html`<div class="choice"><input type="checkbox" id="${id}" name="project" value="${id}"${checked(projectIds.includes(id))}>
<label for="${id}">${inertLine(name, 150)}</label></div>`,
  )}</div>`;
}

function namesField({ typedProjects }: TokenWish): Html {
  return html`<label for="project-names">Names of projects, one a line</label>
<textarea id="project-names" name="project_names" spellcheck="false" placeholder="owner/name">${typedProjects}</textarea>`;
}

const EXPIRY_WORDS: Readonly<Record<TokenWish['expiry'], string>> = {
  '7': 'in 7 days',
  '30': 'in 30 days',
  '90': 'in 90 days',
  '365': 'in a year',
  never: 'never',
};

function expiryField({ wish, faults, now }: FormParts): Html {
  const options = (Object.keys(EXPIRIES) as TokenWish['expiry'][]).map((expiry) => {
    const day = expiresAt(expiry, now)?.slice(0, 10);
    const words = `${EXPIRY_WORDS[expiry]}${day === undefined ? '' : ` (${day})`}`;
    return html`<option value="${expiry}"${expiry === wish.expiry ? html` selected` : ''}>${words}</option>`;
  });
  return html`<div class="field"><label for="expiry">Expires</label>${fault(faults, 'expiry')}
<select id="expiry" name="expiry"${marks(faults, 'expiry', 'expiry-hint')}>${options}</select>
<p class="hint" id="expiry-hint">It can be revoked at any time before. One that never expires opens things for whoever finds it years later.</p></div>`;
}

function checked(is: boolean): Html {
  return is ? html` checked` : html``;
}
