import { byId, setText } from '../dom.ts';
import { type LiveFacts, liveState } from '../live-state.ts';

export interface LiveView {
  update(facts: LiveFacts): void;
}

export function createLiveView(): LiveView {
  const live = byId('live', HTMLElement);
  const text = byId('live-text', HTMLElement);
  return {
    update(facts) {
      const { state, words } = liveState(facts);
      live.dataset.state = state;
      setText(text, words);
    },
  };
}
