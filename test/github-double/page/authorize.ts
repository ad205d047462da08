// Where GitHub asks somebody whether an App may know who they are; on the double they also say who that is.
import { framed } from './frame.ts';
import { type Html, html } from './html.ts';

/** `asked`: what the App sent them with, which comes back with the answer. */
export function authorizePage(app: string, people: readonly string[], asked: URLSearchParams): Html {
  const body = html`<h1 class="title">Authorize ${app}</h1>
<p>${app} wants to know who you are on this double. It can do nothing in your name.</p>
<form method="post" action="/login/oauth/authorize">
${[...asked].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<fieldset><legend>Who are you?</legend>
${people.map((login, at) => html`<p><label><input type="radio" name="login" value="${login}"${at === 0 && html` checked`}> ${login}</label></p>`)}
</fieldset>
<p><button class="go" name="decision" value="authorize">Authorize ${app}</button> <button name="decision" value="cancel">Cancel</button></p>
</form>`;
  return framed({ title: `Authorize ${app}`, view: null, body });
}
