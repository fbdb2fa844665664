// A worker that asks an address with a blocking request, as a thread of a Python program would, and says what came.

self.onmessage = ({ data }: MessageEvent<string>): void => {
  const request = new XMLHttpRequest();
  const start = performance.now();
  request.open('GET', data, false);
  request.send();
  self.postMessage({ status: request.status, body: request.responseText, tookMs: performance.now() - start });
};
