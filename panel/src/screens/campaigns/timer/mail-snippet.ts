export type MailTags = { link: string; timer: string; deadline: string }
export type MailWords = { htmlEnds(deadline: string): string; htmlSee: string }

/** What to paste into a mail; docs/email.md has the same. `m` is for mail programs that keep images by their address. */
export function mailSnippet(
  tags: MailTags,
  { width, height }: { width: number; height: number },
  text: MailWords,
): string {
  const { link, timer, deadline } = tags
  return `<a href="${link}"><img src="${timer}?m=1" width="${width}" height="${height}"
  alt="${text.htmlEnds(deadline)}"
  style="display: block; width: 100%; max-width: ${width}px; height: auto; border: 0"></a>
<p>${text.htmlEnds(`<strong>${deadline}</strong>`)}. <a href="${link}">${text.htmlSee}</a></p>`
}
