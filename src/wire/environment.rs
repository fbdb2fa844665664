//! What the page found out about its browser, by doing, before a run.

use super::shape::shape;

shape! {
    /// Whether threads over one shared memory can run here.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SharedMemory {
        /// A shared memory was posted through a channel and arrived, and `SharedArrayBuffer` exists.
        Works,
        /// The page is not cross-origin isolated.
        NotIsolated,
        /// The page counts as isolated, yet `SharedArrayBuffer` does not exist (WebKit's default).
        NoSharedArrayBuffer,
        /// Posting a shared memory failed although the page is isolated.
        PostingFails,
    }
}

shape! {
    /// What became of the service worker.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ServiceWorkerState {
        /// It controls this page: the slow API answers.
        Controls,
        /// It is registered, but this page is not under its control yet.
        Installed,
        /// This browser or context has no service workers (a double-clicked file, an insecure origin).
        Unsupported,
        /// Asking for it threw or was refused (sandboxed frame, blocked storage).
        Blocked,
        /// Registration failed or did not answer in time.
        Failed,
    }
}

shape! {
    /// How the page was opened.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Scheme {
        /// From a web server.
        Http,
        /// From a file, by a double click.
        File,
        /// Anything else (a blob, an opaque frame).
        Other,
    }
}

shape! {
    /// How the page is framed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Framed {
        /// It is the top page.
        No,
        /// In a frame of the same site.
        SameSite,
        /// In a frame of another site.
        CrossSite,
    }
}

shape! {
    /// Everything a lab may need to know about where it runs.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Environment {
        /// `chromium`, `firefox`, `webkit`, or what the browser calls itself.
        pub engine: String,
        /// The engine's version, as far as the browser tells.
        pub engine_version: String,
        /// `crossOriginIsolated`.
        pub isolated: bool,
        /// Whether threads can share memory, found by doing.
        pub shared_memory: SharedMemory,
        /// Whether wasm SIMD compiles here.
        pub simd: bool,
        /// `hardwareConcurrency`: a claim, not a fact; 0 where the browser does not say.
        pub cores_claimed: u32,
        /// The smallest step of `performance.now()` seen, in milliseconds.
        pub clock_step_ms: f64,
        /// What became of the service worker.
        pub service_worker: ServiceWorkerState,
        /// How the page was opened.
        pub scheme: Scheme,
        /// How the page is framed.
        pub framed: Framed,
        /// Whether the page was hidden when the run was asked for.
        pub hidden: bool,
    }
}
