//! A style sheet imported `with { type: 'text' }` is its text; esbuild does that at build time.

declare module '*.css' {
  const text: string;
  export default text;
}
