-- liquibase formatted sql logicalFilePath:orbit-outbox/sender-outbox.sql

-- changeset orbit-outbox:1 dbms:mysql
-- comment: The transactional outbox: one row per business operation. MySQL 8.4 or later.
CREATE TABLE sender_outbox (
    namespace_id VARCHAR(64) NOT NULL
        COMMENT '平台命名空间，主键之一 | Platform namespace, first part of the primary key',
    operation_id CHAR(32) NOT NULL
        COMMENT '业务操作ID，32位小写十六进制，由调用方先行保存 | Business operation id, 32 lowercase hex digits, saved by the caller beforehand',
    queue_id VARCHAR(64) NOT NULL
        COMMENT '固定的目标队列 | The fixed target queue',
    submission_key VARCHAR(64) NOT NULL
        COMMENT '平台幂等键，固定为outbox-task-加操作ID | Idempotency key at the platform, always outbox-task- and the operation id',
    request_json MEDIUMTEXT NOT NULL
        COMMENT '冻结的请求原文，逐字节发送 | The frozen request, sent byte for byte',
    request_sha256 CHAR(64) NOT NULL
        COMMENT '请求原文的SHA-256，小写十六进制 | SHA-256 of the frozen bytes, lowercase hex',
    state VARCHAR(16) NOT NULL
        COMMENT '发送状态：PENDING、SENDING、ACCEPTED、REVIEW | State of sending: PENDING, SENDING, ACCEPTED, REVIEW',
    send_count INT NOT NULL
        COMMENT '领取次数，0至100 | Number of claims, 0 to 100',
    lease_epoch BIGINT NOT NULL
        COMMENT '租约代次，每次领取加一 | Lease epoch, one more at each claim',
    due_at DATETIME(6) NULL
        COMMENT 'PENDING为下次发送时间，SENDING为租约到期时间，终态为空（UTC） | PENDING: next send, SENDING: end of the lease, NULL when settled (UTC)',
    send_deadline_at DATETIME(6) NOT NULL
        COMMENT '发送截止时间，入库后24小时（UTC） | No send starts after this, 24 hours after enqueue (UTC)',
    result_code VARCHAR(40) NULL
        COMMENT '最近一次结果的稳定代码 | Stable code of the last outcome',
    task_id VARCHAR(128) NULL
        COMMENT '平台任务ID，仅ACCEPTED有值 | Platform task id, present exactly in ACCEPTED',
    receipt_json MEDIUMTEXT NULL
        COMMENT '平台回执原文；REVIEW中仅作无效回执的证据 | Platform receipt as received; in REVIEW only as evidence of an invalid receipt',
    created_at DATETIME(6) NOT NULL
        COMMENT '入库时间（UTC） | When enqueued (UTC)',
    updated_at DATETIME(6) NOT NULL
        COMMENT '最近更新时间（UTC） | When last changed (UTC)',
    settled_at DATETIME(6) NULL
        COMMENT '进入ACCEPTED或REVIEW的时间（UTC） | When ACCEPTED or REVIEW was reached (UTC)',
    PRIMARY KEY (namespace_id, operation_id),
    KEY ix_sender_due (namespace_id, queue_id, due_at),
    CONSTRAINT ck_sender_outbox_operation CHECK (REGEXP_LIKE(operation_id, '^[0-9a-f]{32}$', 'c')),
    CONSTRAINT ck_sender_outbox_key CHECK (submission_key = CONCAT('outbox-task-', operation_id)),
    CONSTRAINT ck_sender_outbox_request CHECK (JSON_VALID(request_json)),
    CONSTRAINT ck_sender_outbox_sha256 CHECK (REGEXP_LIKE(request_sha256, '^[0-9a-f]{64}$', 'c')),
    CONSTRAINT ck_sender_outbox_state CHECK (state IN ('PENDING', 'SENDING', 'ACCEPTED', 'REVIEW')),
    CONSTRAINT ck_sender_outbox_count CHECK (send_count BETWEEN 0 AND 100),
    CONSTRAINT ck_sender_outbox_epoch CHECK (lease_epoch >= 0),
    CONSTRAINT ck_sender_outbox_due CHECK ((due_at IS NOT NULL) = (state IN ('PENDING', 'SENDING'))),
    CONSTRAINT ck_sender_outbox_deadline CHECK (send_deadline_at > created_at),
    CONSTRAINT ck_sender_outbox_times CHECK (created_at >= '2000-01-01' AND updated_at >= '2000-01-01'
        AND (due_at IS NULL OR due_at >= '2000-01-01') AND (settled_at IS NULL OR settled_at >= '2000-01-01')),
    CONSTRAINT ck_sender_outbox_task CHECK ((task_id IS NOT NULL) = (state = 'ACCEPTED')),
    CONSTRAINT ck_sender_outbox_receipt CHECK (
        (receipt_json IS NULL OR JSON_VALID(receipt_json))
        AND (state <> 'ACCEPTED' OR receipt_json IS NOT NULL)
        AND (state NOT IN ('PENDING', 'SENDING') OR receipt_json IS NULL)
        AND (state <> 'REVIEW' OR receipt_json IS NULL OR result_code <=> 'INVALID_RECEIPT')),
    CONSTRAINT ck_sender_outbox_settled CHECK ((settled_at IS NOT NULL) = (state IN ('ACCEPTED', 'REVIEW'))),
    CONSTRAINT ck_sender_outbox_code CHECK (
        (state <> 'ACCEPTED' OR COALESCE(result_code, '') = 'ACCEPTED')
        AND (state <> 'REVIEW' OR COALESCE(result_code, '') IN ('AUTHORIZATION', 'IDEMPOTENCY_CONFLICT', 'HTTP_REJECTED',
            'INVALID_RECEIPT', 'INVALID_DOCUMENT', 'TARGET_MISMATCH', 'SEND_BUDGET_EXHAUSTED', 'SEND_DEADLINE'))
        AND (state NOT IN ('PENDING', 'SENDING') OR COALESCE(result_code, 'UNCONFIRMED') IN ('UNCONFIRMED', 'BACKPRESSURE')))
) ENGINE = InnoDB
    DEFAULT CHARACTER SET = utf8mb4
    COLLATE = utf8mb4_0900_bin
    COMMENT = '业务事务任务提交发件箱 | Transactional outbox of task submissions';
-- rollback DROP TABLE sender_outbox;
