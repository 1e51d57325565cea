/**
 * What calls `work`, at first at once and then after a pause, once for many calls and never twice at a time; `stop` ends it.
 * Once it succeeded, a server that does not answer is waited for.
 */
export function soon(work, failed, pause = 300) {
  let timer, busy = false, due = false, stopped = false, shown = false;
  async function run() {
    timer = undefined;
    busy = true;
    due = false;
    try {
      await work();
      shown = true;
    } catch (error) {
      if (!stopped && !(shown && error.status === 0)) failed(error);
    }
    busy = false;
    if (due) call();
  }
  function call() {
    due = true;
    if (!busy && !timer && !stopped) timer = setTimeout(run, shown ? pause : 0);
  }
  return { call, stop: () => { stopped = true; clearTimeout(timer); } };
}
