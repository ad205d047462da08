// Where GitHub asks somebody whether an App may know who they are; on the double they also say who that is.
import { html, PageHtml, STYLE } from './frame.ts';

/** `asked`: what the App sent them with, which comes back with the answer. */
export function authorizePage(app: string, people: readonly string[], asked: URLSearchParams): PageHtml {
  // Whole in itself: it is there without the double's other pages too.
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Authorize ${app} · GitHub double</title>
<link rel="icon" href="data:,">
<style>${new PageHtml(STYLE)}</style>
</head>
<body>
<header class="top"><a class="home" href="/">GitHub double</a></header>
<main>
<h1 class="title">Authorize ${app}</h1>
<p>${app} wants to know who you are on this double. It can do nothing in your name.</p>
<form method="post" action="/login/oauth/authorize">
${[...asked].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<fieldset><legend>Who are you?</legend>
${people.map((login, at) => html`<p><label><input type="radio" name="login" value="${login}"${at === 0 && html` checked`}> ${login}</label></p>`)}
</fieldset>
<p><button class="go" name="decision" value="authorize">Authorize ${app}</button> <button name="decision" value="cancel">Cancel</button></p>
</form>
</main>
</body>
</html>`;
}
