/** uvu, with suites that take in only tests whose name, behind the suite's own, matches `ORCH_TEST_GREP`. */
import * as uvu from 'uvu'

export * from 'uvu'

const wanted = new RegExp(process.env.ORCH_TEST_GREP ?? '')

/** A suite of uvu that does not take in tests whose name does not match; hooks and `run` are its own. */
export function suite<T = Record<string, unknown>>(name = '', state?: T): uvu.Test<T> {
  return new Proxy(uvu.suite(name, state as T), {
    apply(target, self, [title, handler]) {
      if (wanted.test(`${name} ${title}`)) Reflect.apply(target, self, [title, handler])
    },
  })
}
