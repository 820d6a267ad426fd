/** `--check-config` of our daemons, in the process of a test: what they say of flags and files. That programs say it too is in `apiserver.test.ts`. */
import { runApiServer } from '../../daemons/apiserver/apiserver.ts'
import { runControllerManager } from '../../daemons/controller-manager/controller-manager.ts'
import { configKinds } from '../../generated/config.ts'
import { controllers } from '../../generated/controllers.ts'
import { features } from '../../generated/features.ts'
import { metrics } from '../../generated/metrics.ts'
import { options } from '../../generated/options/orch-apiserver.ts'
import { options as managerOptions } from '../../generated/options/orch-controller-manager.ts'
import { platform } from '../../generated/platform.ts'
import { scheme } from '../../generated/scheme.ts'
import { type Ended, runHere } from './orch.ts'

/** What the API server says of flags. */
export function checkApiServer(...args: readonly string[]): Promise<Ended> {
  const facts = { options, features, configKinds, scheme }
  const all = ['--check-config', ...args]
  return runHere((terminal, signal) => runApiServer(facts, terminal, signal), all)
}

/** What the controller manager says of flags; it knows of a server that it is not to ask. */
export function checkControllerManager(...args: readonly string[]): Promise<Ended> {
  const facts = {
    ...{ options: managerOptions, features, controllers },
    configKinds,
    platform,
    metrics,
  }
  const all = ['--check-config', '--master=http://127.0.0.1:1', ...args]
  return runHere((terminal, signal) => runControllerManager(facts, terminal, signal), all)
}
