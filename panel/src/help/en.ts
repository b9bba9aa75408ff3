import type { Topic } from '../parts/help-topic.ts'

/** What each screen is for and how to work with it. */
export const pages: Record<Topic, string> = {
  overview: `
# Overview

What happened in the last days, in all campaigns together, and what you should look at.

While no published campaign has a lead, as in a new account, a list of first steps stands above.

- **Sign-ups** are people who gave their email, by your form, the API, a file or by hand.
- **Visits** are how often a page with the widget was opened.
- **Clicks** are links from mails that a person opened.
- **Opens** say little: Apple Mail loads every picture, whether anyone looks or not.

Days are those of each campaign’s time zone.`,
  campaigns: `
# Campaigns

A campaign is one offer with its own rules for the deadline. Make one from a template, or import a file.

- **Draft**: nobody can sign up, links and countdowns show nothing. Change what you like.
- **Live**: people can sign up and see the offer.
- **Ended**: its date has passed for everyone. Leave it published: once it is a draft, in the archive or deleted, your pages show the offer again.

The menu of a row duplicates, exports, archives and deletes. **Archive** takes a campaign back to draft and hides it from the list; leads and results stay, and you can bring it back. **Delete** takes the leads along and cannot be undone.`,
  results: `
# Results

Did it work? This tab counts people: how many signed up in the time that you choose, how many of them got a running offer, and how many clicked.

- Choose the days above the chart. It compares them with the same number of days before.
- Visits and opens are beside the funnel, since they count pages and pictures, not people.
- Link scanners and mail proxies are left out.
- The CSV has the same numbers as the chart.`,
  rules: `
# Deadline

Here you say when the offer begins and ends for each lead. Read it as sentences; the preview beside it shows what someone gets who signs up now, or at a time that you choose.

- Nothing counts until you **save**. Saving does not change the campaign’s state: that is what **Publish** and **Back to draft** are for.
- Leads who are under way keep the deadline they began with. A date for everyone, the end of the campaign, resets and another chance change for them at once.
- A time is local to the campaign’s time zone. The preview warns where clocks change.
- Remarks beside a field say what might surprise you. They stop nothing.

After publishing: put the snippet on your page, make a key for your form, and put the countdown into your mail. **What now?** in the header shows all three.`,
  pages: `
# Offer pages

The pages on your site that show this offer.

- Add the address of each page. A page that mails link to gets a link for every lead.
- Paste the snippet into the page’s \`<head>\`, or into your tag manager. Each campaign on a page needs a snippet of its own.
- Mark what belongs to the offer with \`data-lastcall\`; the widget hides it when time is up.
- “Widget last seen” says when the widget last reported from the page. If it stays empty, publish the campaign, open the page yourself and check whether a blocker stops the script.
- If your visitors must agree before anything is kept in their browser, end the script’s address in \`&consent=wait\`; your consent banner then calls \`Lastcall.consent()\` on each page.
- The widget hides the offer, but people can still find it in the page’s code. To close the page itself, let your server ask the gate: Lastcall’s documentation has examples for nginx, WordPress and others (\`docs/gate.md\`).

Removing a page breaks links to it that were already sent.`,
  timer: `
# Mail timer

A picture in your mail that counts down to the reader’s own deadline, each time the mail is opened.

- Choose colours, font and size; the picture here is what mails show.
- Remarks beside a field say what is hard to read.
- Copy the HTML for your mail service. It contains that service’s tags for each lead’s link, countdown and deadline.
- Send yourself a test first: some programs do not load pictures until asked.`,
  leads: `
# Leads

Everyone who signed up, with their own deadline.

- **Search** finds the beginning of an address, or any part of it. What you type never gets into the page’s address.
- An offer **Waits for a visit**, the first one; **Opens later**; is **Open** now; or is **Expired**.
- Click an address for its links, its history, and to set a deadline by hand.
- Tick several to give them a later deadline, export or erase them.
- **Erase** waits ten seconds, in which you can take it back. Then the address, its deadline and its counts are gone; the campaign’s totals and the sums of its orders stay.

A file for the import needs one column with emails; any heading will do. No email is sent.`,
  person: `
# Find a person

Someone asks what you know about them, or wants to be forgotten. Type the whole address: you see what is stored about it in all campaigns, can download that as a file, and can erase it everywhere at once.

Other spellings of an address (capitals, dots) are other leads: search for those as well.`,
  keys: `
# API keys

A key lets your server, or your form’s service, sign people up and read their offers.

- The key is shown **once**. Copy it into your program’s settings, never into a page.
- **Replace** makes a new key and lets the old one work for a while, so that nothing breaks while you change it.
- **Revoke** ends a key at once.
- The number of requests leads to the history of that key.`,
  history: `
# Request history

Every request to the API for leads that came with one of your keys: when, which operation, which campaign, and what was answered. Emails and contents are not kept.

- Click the id of a request for everything that is known of it.
- Choose a time, a key or an error above the list; the address of the page keeps your choice, so you can send it to a colleague.
- An error’s code is explained in the reference.
- When you ask for help, give the request id.`,
  webhooks: `
# Webhooks

Lastcall calls an address of yours when something happens to a lead: they signed up, their offer began, is about to end, or ended.

- Each call is signed. Check the signature with the webhook’s secret before you believe it.
- Answer with a status of 2xx within 15 seconds; otherwise it is tried again, ever more slowly.
- A call may come twice. Its id is the same then.
- The log shows which events were sent, about whom, and the status that your address answered with.`,
  reference: `
# API reference

All operations, with examples that run as they are. Choose a campaign and a language, put your key into \`LASTCALL_KEY\`, and paste.

You can also download the description (OpenAPI) or a collection for Postman and Bruno.`,
  settings: `
# Settings

The account’s name, and the address that links, countdowns and the API begin with. **Users** are your colleagues; **Your sign-in** is yours alone.

Language and colours are in the menu at the top right, and are kept in this browser.`,
  users: `
# Users

Who may use this account.

- Invite a colleague by a link. It works once, for seven days, and carries a role; an owner can withdraw it.
- Owners manage users, keys and webhooks. Members run campaigns and leads. Viewers look, and cannot export leads.
- A user that you remove is signed out at once.`,
  security: `
# Your sign-in

- A new password signs you out everywhere else.
- The **second factor** is a code from an app on your phone, asked for after the password. Scan the QR code once; the factor is on as soon as the first code is right.
- **Recovery codes** let you in once each if you lose the phone. Keep them where the phone is not.
- After ten wrong codes within a quarter of an hour none is accepted until that is over. To switch the factor off you need a code too.
- **Where you are signed in** shows each browser, the network it was signed in from, and its last use, to the hour. If you do not know one, sign it out and change your password.

If both phone and recovery codes are lost, the people who run the installation can remove the factor with \`lastcall user reset-factor\`.`,
  audit: `
# Audit log

Who changed what in this account, and when. Only owners see it.

- It has what users do in the panel, what commands on the server do, and what a key does to webhooks. Sign-ups and orders that come by the API are not in it.
- Open an entry to see each setting **before** and **after**.
- An entry about a lead keeps its number and no email; it shows the email as long as the lead exists. A part of the network address is kept for thirty days.
- **Export as CSV** takes all entries that fit the filters.`,
}
