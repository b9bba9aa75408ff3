import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { useWords } from '../language.ts'
import { Empty } from './empty.tsx'
import { words } from './words.ts'

/** `at` is where the reader is: elsewhere it is tried again. */
type Props = { at: string; children: ReactNode }
type State = { at: string; isBroken: boolean }

/** Keeps what breaks from taking everything else along. React has no other form for this than a class. */
export class Boundary extends Component<Props, State> {
  override state: State = { at: this.props.at, isBroken: false }

  static getDerivedStateFromProps({ at }: Props, state: State): State {
    return at === state.at ? state : { at, isBroken: false }
  }

  static getDerivedStateFromError(): Partial<State> {
    return { isBroken: true }
  }

  override render(): ReactNode {
    return this.state.isBroken ? <Broken /> : this.props.children
  }
}

/** Mostly a part that does not come any more since the service was updated: loaded again, the page asks for the new one. */
function Broken() {
  const text = useWords(words)
  return (
    <div role="alert">
      <Empty text={text.broken}>
        <Button onClick={() => window.location.reload()}>{text.loadAgain}</Button>
      </Empty>
    </div>
  )
}
