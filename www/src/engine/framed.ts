//! Whether this page is in a frame, and whose. In doubt it is another site's.

import type { Framed } from '#glue';

/** Hosts of one site as far as a page can tell: it has no list of public suffixes, so only parent and child count. */
function related(one: string, other: string): boolean {
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
}

/** How the page is framed; in doubt it is another site's frame. */
export function framed(): Framed {
  if (window.top === window.self) return 'no';
  try {
    // Throws unless every bit of the origin is the same.
    if (window.top?.location.origin === location.origin && window.origin !== 'null') return 'same-site';
  } catch {
    // Another origin: it may still be of the same site.
  }
  try {
    const ancestors = Array.from(location.ancestorOrigins, (origin) => new URL(origin).hostname);
    const near = ancestors.length > 0 && ancestors.every((host) => related(host, location.hostname));
    return near && window.origin !== 'null' ? 'same-site' : 'cross-site';
  } catch {
    // Firefox has no list of ancestors, and an opaque ancestor has no host.
    return 'cross-site';
  }
}
