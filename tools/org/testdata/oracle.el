;;; oracle.el --- run recorded edits in Emacs -*- lexical-binding: t; -*-
;; emacs -Q --batch -l oracle.el -f oracle-run CASES.json
;; prints one JSON object a line for each case: name, error, dir, files.
;; Variables of a case are read as Lisp data and set; an operation is one of those
;; that TestCases knows.

(require 'json)
(require 'seq)
(require 'org)
(require 'org-archive)
(require 'org-capture)
(require 'org-clock)
(require 'org-id)
(require 'org-refile)

(setq make-backup-files nil
      auto-save-default nil
      create-lockfiles nil
      enable-local-variables nil
      vc-handled-backends nil
      org-element-use-cache nil
      org-id-track-globally nil
      org-clock-persist nil
      org-inhibit-startup t
      gc-cons-threshold (* 128 1024 1024)
      inhibit-message t)
(fset 'y-or-n-p (lambda (&rest _) t))
(fset 'yes-or-no-p (lambda (&rest _) t))

(defvar oracle-ids 0)
(fset 'org-id-new (lambda (&rest _) (format "00000000-0000-4000-8000-%012d" (setq oracle-ids (1+ oracle-ids)))))

(defun oracle-find (place)
  "Move to the headline that PLACE names."
  (goto-char (point-min))
  (let-alist place
    (cond ((eq .file t))
          (.line (forward-line (1- .line)))
          (.title (let ((case-fold-search nil) found)
                    (while (and (not found) (re-search-forward org-heading-regexp nil t))
                      (when (equal .title (org-get-heading t t t t))
                        (setq found t)))
                    (unless found (error "No title %s" .title))
                    (beginning-of-line))))))

(defun oracle-store-note (note)
  "Finish what a command queued, with NOTE if it asks for one."
  (when (memq 'org-add-log-note post-command-hook)
    (org-add-log-note)
    (when (and note (derived-mode-p 'org-mode) (string= (buffer-name) "*Org Note*"))
      (insert note)
      (org-ctrl-c-ctrl-c))))

(defun oracle-step (op)
  "Carry out OP."
  (setq post-command-hook nil org-log-setup nil) ; a note that nobody finished
  (org-show-all)                        ; some commands act on visible headlines
  (let-alist op
    (when .where (oracle-find .where))
    (pcase .op
      ("todo" (org-todo (if (equal .arg "") 'none .arg)) (oracle-store-note nil))
      ("todo-note" (org-todo (if (equal .arg "") 'none .arg)) (oracle-store-note .note))
      ("note" (org-add-note) (oracle-store-note .note))
      ("schedule" (org-schedule (and (null .arg) '(4)) .arg) (oracle-store-note nil))
      ("deadline" (org-deadline (and (null .arg) '(4)) .arg) (oracle-store-note nil))
      ("set-property" (org-set-property .key .arg) (oracle-store-note nil))
      ("delete-property" (org-delete-property .key))
      ("id-get-create" (org-id-get-create))
      ("set-tags" (org-set-tags (append .arg nil)))
      ("priority" (org-priority (if (equal .arg "") 'remove (string-to-char .arg))))
      ("edit-headline" (org-edit-headline .arg))
      ("comment" (org-toggle-comment))
      ("archive" (org-archive-subtree))
      ("archive-tag" (org-toggle-archive-tag))
      ("archive-sibling" (org-archive-to-archive-sibling))
      ("promote" (org-promote-subtree))
      ("demote" (org-demote-subtree))
      ("refile" (let ((pos (save-excursion (oracle-find .target) (point))))
                  (org-refile nil nil (list "x" buffer-file-name nil pos))
                  (oracle-store-note nil)))
      ("refile-file-top" (org-refile nil nil (list "x" buffer-file-name nil nil)) (oracle-store-note nil))
      ("clock-in" (org-clock-in))
      ("clock-out" (org-clock-out))
      ("toggle-checkbox" (org-toggle-checkbox))
      ("capture"
       (let* ((template .template) (head (alist-get 'target template))
              (org-capture-templates
               `(("x" "x" ,(intern (alist-get 'type template))
                  ,(if head (list 'file+function buffer-file-name (lambda () (oracle-find `((title . ,(alist-get 'headline head)))))) (list 'file buffer-file-name))
                  ,(alist-get 'text template)
                  :immediate-finish t
                  :prepend ,(eq t (alist-get 'prepend template))
                  :empty-lines ,(or (alist-get 'empty_lines template) 0)))))
         (org-capture-string .initial "x")))
      (_ (error "Unknown op %s" .op)))))

(defun oracle-write (file text)
  "Write TEXT to FILE as it is."
  (let ((coding-system-for-write 'utf-8-unix) (require-final-newline nil))
    (with-temp-buffer (insert text) (write-region nil nil file nil 'quiet))))

(defun oracle-case (case dir)
  "Run CASE in the empty folder DIR."
  (let ((file (expand-file-name "t.org" dir)) saved failure)
    (oracle-write file (alist-get 'content case))
    (dolist (x (alist-get 'extra case)) (oracle-write (expand-file-name (symbol-name (car x)) dir) (cdr x)))
    (when (assq 'org-inlinetask-min-level (alist-get 'vars case)) (require 'org-inlinetask))
    (dolist (v (alist-get 'vars case))
      (push (cons (car v) (default-value (car v))) saved)
      (let ((value (car (read-from-string (cdr v)))))
        (set-default (car v) (if (eq (car-safe value) 'quote) (cadr value) value))))
    (setq oracle-ids 0 post-command-hook nil org-log-setup nil org-note-abort nil)
    (set-marker org-clock-marker nil)
    (set-marker org-clock-hd-marker nil)
    (condition-case e
        (with-current-buffer (find-file-noselect file)
          (seq-doseq (op (alist-get 'ops case)) (save-current-buffer (save-window-excursion (oracle-step op))))
          (dolist (b (buffer-list))
            (with-current-buffer b (when (and buffer-file-name (buffer-modified-p)) (save-buffer)))))
      (error (setq failure (error-message-string e))))
    (set-marker org-clock-marker nil)   ; else killing the buffer stops the clock
    (dolist (b (buffer-list))
      (when (or (buffer-file-name b) (buffer-base-buffer b))
        (with-current-buffer b (set-buffer-modified-p nil))
        (kill-buffer b)))
    (when (get-buffer "*Org Note*") (kill-buffer "*Org Note*"))
    (dolist (s saved) (set-default (car s) (cdr s)))
    `((name . ,(alist-get 'name case)) (error . ,failure) (dir . ,dir)
      (files . ,(mapcar (lambda (f)
                          (cons (intern (file-name-nondirectory f))
                                (with-temp-buffer
                                  (let ((coding-system-for-read 'utf-8-unix)) (insert-file-contents f))
                                  (buffer-string))))
                        (directory-files dir t "\\`[^.]"))))))

(defun oracle-run ()
  "Run the cases of the file on the command line."
  (let* ((json-object-type 'alist) (json-array-type 'vector)
         (cases (json-read-file (pop command-line-args-left))))
    (seq-doseq (case cases)
      (let ((dir (file-truename (make-temp-file "org" t))))
        (unwind-protect
            (princ (concat (json-encode (oracle-case case dir)) "\n"))
          (delete-directory dir t))))))
;; What Emacs reads: emacs -Q --batch -l oracle.el -f oracle-read FILE... prints one
;; JSON object a file and line, of each headline what TestCorpus compares.

(defun oracle-flag (x) (if x t :json-false))

(defun oracle-list (l) (vconcat (mapcar #'substring-no-properties l)))

(defun oracle-offset (pos) (1- (position-bytes pos)))

(defun oracle-headline (h)
  "Describe headline H, an element."
  (let ((stamp (lambda (key) (let ((ts (org-element-property key h))) (and ts (org-element-property :raw-value ts)))))
        (contents (org-element-property :contents-begin h))
        (type (org-element-property :todo-type h))
        (priority (org-element-property :priority h)))
    (goto-char (org-element-property :begin h))
    `((level . ,(save-excursion (skip-chars-forward "*")))
      (reduced_level . ,(org-element-property :level h))
      (todo . ,(org-element-property :todo-keyword h))
      (todo_type . ,(and type (symbol-name type)))
      (priority . ,(and priority (char-to-string priority)))
      (title . ,(substring-no-properties (org-element-property :raw-value h)))
      (heading_plain . ,(substring-no-properties (org-get-heading t t t t)))
      (tags . ,(oracle-list (org-element-property :tags h)))
      (tags_local . ,(oracle-list (org-get-tags nil t)))
      (tags_all . ,(oracle-list (org-get-tags)))
      (scheduled . ,(funcall stamp :scheduled))
      (deadline . ,(funcall stamp :deadline))
      (closed . ,(funcall stamp :closed))
      (properties . ,(vconcat (mapcar (lambda (p) (vector (car p) (cdr p)))
                                      (seq-remove (lambda (p) (equal (car p) "CATEGORY")) (org-entry-properties nil 'standard)))))
      (category . ,(substring-no-properties (org-get-category)))
      (id . ,(org-entry-get nil "ID"))
      (custom_id . ,(org-entry-get nil "CUSTOM_ID"))
      (archived . ,(oracle-flag (org-element-property :archivedp h)))
      (commented . ,(oracle-flag (org-element-property :commentedp h)))
      (in_commented . ,(oracle-flag (org-in-commented-heading-p)))
      (in_archived . ,(oracle-flag (org-in-archived-heading-p)))
      (footnote_section . ,(oracle-flag (org-element-property :footnote-section-p h)))
      (olp . ,(oracle-list (org-get-outline-path t)))
      (begin . ,(oracle-offset (point)))
      (eol . ,(oracle-offset (line-end-position)))
      (contents_begin . ,(and contents (oracle-offset contents)))
      (end . ,(oracle-offset (org-element-property :end h)))
      (line . ,(line-number-at-pos)))))

(defun oracle-read ()
  "Print what Emacs reads in the files on the command line."
  (dolist (file command-line-args-left)
    (with-temp-buffer
      (let ((coding-system-for-read 'utf-8-unix)) (insert-file-contents file))
      (setq buffer-file-name (expand-file-name file)
            default-directory (file-name-directory buffer-file-name))
      (org-mode)
      (let (heads)
        (org-element-map (org-element-parse-buffer 'headline) 'headline
          (lambda (h) (push (save-excursion (oracle-headline h)) heads) nil))
        (princ (concat (json-encode
                        `((file . ,(file-name-nondirectory file))
                          (todo_all . ,(oracle-list org-todo-keywords-1))
                          (todo_done . ,(oracle-list org-done-keywords))
                          (filetags . ,(oracle-list org-file-tags))
                          (odd . ,(oracle-flag org-odd-levels-only))
                          (headlines . ,(vconcat (nreverse heads)))))
                       "\n"))
        (set-buffer-modified-p nil)
        (setq buffer-file-name nil))))
  (setq command-line-args-left nil))
;;; oracle.el ends here
