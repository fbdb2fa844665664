//! Numbers as text. The interval decides the digits: nobody is shown a microsecond that the samples cannot tell apart.

const LOCALE = 'en';
/** From here on milliseconds read better as seconds. */
const SECONDS_FROM_MS = 10_000;

/** The unit in which one chart or table shows all its times. */
export type TimeUnit = 'ms' | 's';

/** The unit that suits the longest of some times. */
export function unitFor(longestMs: number): TimeUnit {
  return longestMs >= SECONDS_FROM_MS ? 's' : 'ms';
}

/**
 * A time with its unit, its digits following the interval: 412.34 between 398 and 430 is "412 ms", between 412.2 and
 * 412.5 it is "412.3 ms". Without an interval three digits count.
 */
export function formatTime(ms: number, unit: TimeUnit, low?: number, high?: number): string {
  const scale = unit === 's' ? 1 / 1000 : 1;
  return `${formatWithin(ms * scale, scaled(low, scale), scaled(high, scale))}\u00a0${unit}`;
}

/** A ratio such as "1.93×", its digits following the interval. */
export function formatRatio(ratio: number, low?: number, high?: number): string {
  return `${formatWithin(ratio, low, high, 2)}×`;
}

/** A share of 0 to 1 as a percentage. A little is never shown as nothing, nor nearly everything as all. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.001) return '<\u00a00.1\u00a0%';
  if (share < 1 && share > 0.999) return '>\u00a099.9\u00a0%';
  const percent = share * 100;
  // Where it is nearly all, whole percents would say that it is all.
  const whole = percent === Math.round(percent) || (percent >= 10 && percent < 99.5);
  return `${format(percent, whole ? 0 : 1)}\u00a0%`;
}

/** A whole number with its thousands apart; a decimal number of any length, as text, too. */
export function formatCount(count: number | string): string {
  if (typeof count === 'number') return new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 3 }).format(count);
  return /^\d+$/.test(count) ? new Intl.NumberFormat(LOCALE).format(BigInt(count)) : count;
}

/** Counts of more digits than this are shown by their first ones and a power of ten. */
const DIGITS_SHOWN = 24;

/** A count too long to be read, as its first digits and a power of ten; undefined where all its digits can be shown. */
export function shortCount(count: string): { digits: string; power: number } | undefined {
  if (!/^\d+$/.test(count) || count.length <= DIGITS_SHOWN) return undefined;
  // Cut, not rounded: what is shown are digits of the number.
  return { digits: `${count[0]}.${count.slice(1, 4)}`, power: count.length - 1 };
}

/**
 * A share of something counted exactly, in percent with three digits that count; undefined where it is closer to none or
 * to all than a tenth of a percent and is neither, so that words must say it.
 */
export function formatPart(share: number): string | undefined {
  if (share < 0.001 || (share < 1 && share > 0.999)) return undefined;
  const percent = Number((share * 100).toPrecision(3));
  return `${new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 }).format(percent)}\u00a0%`;
}

/** Bytes of memory in the largest unit of which there is one: "9.1 MiB". */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${formatWithin(bytes / 1024 ** power, undefined, undefined, 1)}\u00a0${units[power]}`;
}

function formatWithin(value: number, low: number | undefined, high: number | undefined, most = 3): string {
  const halfWidth = low === undefined || high === undefined ? 0 : (high - low) / 2;
  const digit = halfWidth > 0 ? halfWidth : Math.abs(value) / 100;
  const decimals = digit > 0 ? Math.min(most, Math.max(0, -Math.floor(Math.log10(digit)))) : 0;
  return format(value, decimals);
}

function format(value: number, decimals: number): string {
  return new Intl.NumberFormat(LOCALE, { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(
    value,
  );
}

function scaled(value: number | undefined, scale: number): number | undefined {
  return value === undefined ? undefined : value * scale;
}
