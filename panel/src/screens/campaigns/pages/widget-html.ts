/**
 * What puts the widget on a page. A script tag would hold up the page's `load` while the service does not answer. For
 * tag managers, which know old JavaScript only and may join lines.
 */
export function widgetSnippet(publicUrl: string, campaignId: number): string {
  return `<script>
  (function (link) {
    link.onload = function () {
      var script = document.createElement('script');
      script.src = link.href;
      document.head.appendChild(script);
    };
    link.rel = 'preload';
    link.as = 'script';
    link.href = '${publicUrl}/widget/v1.js?campaign=${campaignId}';
    document.head.appendChild(link);
  })(document.createElement('link'));
</script>`
}

type FormWords = { email: string; send: string }

/** A form for the email; `method="dialog"` sends nothing where the script has not come. */
export function formExample({ email, send }: FormWords): string {
  return `<form data-lastcall="form" method="dialog">
  <label>${email} <input type="email" name="email" autocomplete="email" required /></label>
  <button>${send}</button>
</form>`
}

type OfferWords = { offer: string; until: string; buy: string; over: string; notYet: string }

/**
 * A marked offer. What makes no sense without a time is hidden until there is one. The end hides what has the focus, so
 * screen readers are to say it.
 */
export function offerExample({ offer, until, buy, over, notYet }: OfferWords, buyUrl: string): string {
  return `<div data-lastcall="offer">
  <p>${offer}</p>
  <p data-lastcall="running" hidden>
    ${until} <time data-lastcall="deadline"></time>: <span data-lastcall="countdown"></span>
  </p>
  <a href="${buyUrl}">${buy}</a>
</div>
<div role="status"><p data-lastcall="expired" hidden>${over}</p></div>
<p data-lastcall="scheduled" hidden>${notYet}</p>`
}
