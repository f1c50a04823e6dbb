;; Exports the Org files named on the command line's list with Emacs's own
;; exporters and prints one JSON object for each. Nothing in them is evaluated.
(require 'ox-html) (require 'ox-latex) (require 'ox-ascii) (require 'ox-md) (require 'json)
(require 'org-id) (require 'org-attach)
(setq org-export-use-babel nil org-export-with-broken-links 'mark user-full-name "" user-mail-address ""
      make-backup-files nil auto-save-default nil org-html-htmlize-output-type nil org-export-async-debug nil
      enable-local-variables nil enable-local-eval nil find-file-hook nil
      debug-on-error nil inhibit-message t vc-handled-backends nil gc-cons-threshold 100000000)
(fset 'org-export-expand-include-keyword #'ignore)
(setq org-id-track-globally nil)
(fset 'org-id-find #'ignore)
(fset 'org-attach-dir #'ignore)

(defun export-one (backend body)
  (condition-case e
      (org-export-as backend nil nil body (and (eq backend 'ascii) '(:ascii-charset utf-8 :time-stamp-file nil)))
    (error (format "ERROR %S" e))))

(defun export-run ()
  (dolist (file (with-temp-buffer
                  (insert-file-contents (pop command-line-args-left))
                  (split-string (buffer-string) "\n" t)))
    (with-temp-buffer
      (let ((coding-system-for-read 'utf-8-auto)) (insert-file-contents file))
      (setq buffer-file-name file default-directory (file-name-directory file))
      (let ((text (buffer-string)))
        (unless (string-match-p "^[ \t]*#\\+SETUPFILE\\|^[ \t]*#\\+\\(macro\\|MACRO\\):.*(eval" text)
          (delay-mode-hooks (org-mode))
          (princ (json-encode
                  `((file . ,file)
                    ,@(mapcar (lambda (b) (cons b (export-one b t))) '(html md latex ascii)))))
          (princ "\n")))
      (set-buffer-modified-p nil) (setq buffer-file-name nil))))
