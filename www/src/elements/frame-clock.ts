//! `<frame-clock>`: a hand that moves with every animation frame of this page, and stands still when the page's own
//! loop is held. It is how a learner sees a stall, so it must not run on the compositor, which would keep moving it.

import { css, html, LitElement } from 'lit';

const TURN_MS = 1_000;

/** The moving hand. It has no attributes; it moves while it is in the document. */
export class FrameClock extends LitElement {
  static override styles = css`
    :host { display: inline-block; vertical-align: middle; }
    svg { display: block; }
    circle { fill: none; stroke: currentColor; stroke-width: 2; }
    line { stroke: currentColor; stroke-width: 3; stroke-linecap: round; }
  `;

  #frame = 0;

  override connectedCallback(): void {
    super.connectedCallback();
    const calm = matchMedia('(prefers-reduced-motion: reduce)');
    const step = (now: number) => {
      // With reduced motion the hand steps twice a second: enough to see that it stops.
      const turn = calm.matches ? Math.floor((2 * now) / TURN_MS) / 2 : now / TURN_MS;
      this.renderRoot.querySelector('line')?.setAttribute('transform', `rotate(${Math.round((turn % 1) * 360)} 14 14)`);
      this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  override disconnectedCallback(): void {
    cancelAnimationFrame(this.#frame);
    super.disconnectedCallback();
  }

  protected override render() {
    return html`<svg aria-hidden="true" width="28" height="28" viewBox="0 0 28 28">
      <circle cx="14" cy="14" r="12"></circle><line x1="14" y1="14" x2="14" y2="5"></line></svg>`;
  }
}
