import { byId, setText } from '../dom.ts';
import type { PageView, Refusal } from '../load-page.ts';
import { noticeWords } from '../notice-words.ts';
import type { Selection } from '../url-state.ts';

export interface NoticeView {
  update(page: PageView | null, failure: Refusal | null, selection: Selection): void;
}

export function createNoticeView(onToken: (token: string) => void): NoticeView {
  const notice = byId('notice', HTMLElement);
  const form = byId('token-form', HTMLFormElement);
  const detail = byId('token-detail', HTMLElement);
  const input = byId('token-input', HTMLInputElement);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    onToken(input.value.trim());
    input.value = '';
  });
  return {
    update(page, failure, selection) {
      const needsToken = failure?.kind === 'token';
      form.hidden = !needsToken;
      setText(detail, needsToken ? `The server says: ${failure.detail}.` : '');
      const words = needsToken ? null : noticeWords(page, failure, selection);
      notice.hidden = words === null;
      notice.dataset.tone = failure === null ? 'calm' : 'bad';
      setText(notice, words ?? '');
    },
  };
}
