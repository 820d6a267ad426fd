import { errorText } from '../../kernel/errors/error-text.ts'
import { ConfigError } from '../containers/config-error.ts'
import { StartProblem } from '../containers/start-problem.ts'
import type { AgentFacts } from './agent-facts.ts'
import { containerConfig, type Start } from './container-config.ts'

/** Makes and starts a container whose image is there. Resolves to its id. @throws StartProblem. */
export async function startContainer(start: Start, facts: AgentFacts): Promise<string> {
  const { runtime, sink } = facts
  const { pod, container, sandbox } = start
  const { name } = container
  let id: string
  try {
    const config = await containerConfig(start, facts)
    id = await runtime.createContainer(sandbox.id, config)
  } catch (error) {
    const reason =
      error instanceof ConfigError ? 'CreateContainerConfigError' : 'CreateContainerError'
    throw new StartProblem(reason, errorText(error))
  }
  sink.tellEvent(pod, { type: 'Normal', reason: 'Created', message: `Created container ${name}` })
  try {
    await runtime.startContainer(id)
  } catch (error) {
    throw new StartProblem('RunContainerError', errorText(error))
  }
  sink.tellEvent(pod, { type: 'Normal', reason: 'Started', message: `Started container ${name}` })
  return id
}
