/** What keeps a container from running, as its status says it. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem'
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.reason = reason
  }
}
