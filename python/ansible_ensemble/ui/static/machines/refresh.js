/** What calls `work` soon, once for many calls and never twice at a time; `stop` ends it. */
export function soon(work, failed, pause = 300) {
  let timer, busy = false, due = false, stopped = false;
  async function run() {
    timer = undefined;
    busy = true;
    due = false;
    try {
      await work();
    } catch (error) {
      if (!stopped) failed(error);
    }
    busy = false;
    if (due) call();
  }
  function call() {
    due = true;
    if (!busy && !timer && !stopped) timer = setTimeout(run, pause);
  }
  return { call, stop: () => { stopped = true; clearTimeout(timer); } };
}
